package ai.molecule.proxy.tasks;

import ai.molecule.proxy.tasks.TaskNote.Begun;
import ai.molecule.proxy.tasks.TaskNote.Over;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The tables {@code tasks}, {@code works} and {@code work_words}, as calls write them (db/proxy/V017__tasks.sql). */
public final class PgTaskLog {

    /**
     * A person's message belongs to the work that it goes on with: of the task it names, of the work it was sent for, or of the newest in its
     * context that is not over; else it begins one.
     */
    private static final String BEGIN = """
            WITH given AS (
                SELECT * FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
                    $11::timestamptz[]) AS given (id, workspace_id, caller_id, message_id, task_id, context_id, trace, preview, words, at)
            ), placed AS (
                SELECT given.*, CASE WHEN caller_id IS NULL THEN coalesce(
                    (SELECT w.id FROM works AS w WHERE w.root_task = given.id),
                    (SELECT t.work_id FROM tasks AS t WHERE t.workspace_id = given.workspace_id AND t.task_id = given.task_id
                        AND t.work_id IS NOT NULL LIMIT 1),
                    (SELECT w.id FROM works AS w WHERE w.workspace_id = given.workspace_id AND w.context_id = given.context_id
                        AND w.ended_at IS NULL ORDER BY w.created_at DESC LIMIT 1))
                ELSE work_of(caller_id, trace) END AS work_id
                FROM given
            ), begun AS (
                INSERT INTO works (id, root_task, workspace_id, asked_by, title, brief, context_id, created_at)
                SELECT id, id, workspace_id, 'chat', coalesce(nullif(left(split_part(words, E'\\n', 1), 200), ''), '(no words)'), words, context_id, at
                FROM placed WHERE caller_id IS NULL AND work_id IS NULL
                ON CONFLICT DO NOTHING
            ), noted AS (
                INSERT INTO tasks (id, owner, workspace_id, caller_id, message_id, task_id, work_id, trace, preview, status, started_at)
                SELECT id, $1, workspace_id, caller_id, message_id, task_id,
                    CASE WHEN caller_id IS NULL THEN coalesce(work_id, id) ELSE work_id END, trace, preview, 'running', at
                FROM placed
                ON CONFLICT (id) DO UPDATE SET owner = $1, status = 'running', ended_at = NULL
            )
            SELECT id, CASE WHEN caller_id IS NULL THEN coalesce(work_id, id) ELSE work_id END AS work_id FROM placed
            """;

    /** Apart from the begin, because a row refers to its work. */
    private static final String SAID = """
            INSERT INTO work_words (id, answer, work_id, speaker, listener, words, files, said_at)
            SELECT said.id, $1, t.work_id, speaker, listener, words, files::jsonb, at
            FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::timestamptz[])
                    AS said (id, speaker, listener, words, files, at)
                JOIN tasks AS t ON t.id = said.id JOIN works AS w ON w.id = t.work_id
            ON CONFLICT (id, answer) DO UPDATE SET words = excluded.words, files = excluded.files, said_at = excluded.said_at
            """;

    /**
     * An end is that of the message, whichever call told it, and of all that its agent's task was begun with. One that is known is not
     * changed any more, but for one that was unknown. A work ends with the message it began with.
     */
    private static final String END = """
            WITH given AS (
                SELECT DISTINCT ON (id) * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
                    AS given (id, workspace_id, message_id, task_id, status, at) ORDER BY id, at DESC
            ), ended AS (
                UPDATE tasks AS t SET status = given.status, task_id = coalesce(given.task_id, t.task_id),
                    ended_at = CASE WHEN given.status <> 'waiting' THEN given.at END
                FROM given
                WHERE (t.ended_at IS NULL OR t.status = 'unknown') AND t.workspace_id = given.workspace_id AND (t.id = given.id
                    OR t.message_id = given.message_id OR (t.status = 'waiting' AND t.task_id = given.task_id))
                RETURNING t.id, t.status, t.ended_at
            ), ends (id, status, ended_at) AS (
                SELECT id, status, ended_at FROM ended
                UNION SELECT id, status, at FROM given WHERE status <> 'waiting'
            )
            UPDATE works AS w SET status = CASE ends.status WHEN 'ok' THEN 'done' ELSE 'failed' END, ended_at = ends.ended_at
            FROM ends WHERE w.root_task = ends.id AND ends.ended_at IS NOT NULL AND (w.ended_at IS NULL OR w.status = 'failed')
            """;

    /** What a proxy that is gone did not end: another may still learn how it ended. */
    private static final String LOST = """
            UPDATE tasks SET status = 'unknown', ended_at = now()
            WHERE id IN (SELECT id FROM tasks AS t
                WHERE ended_at IS NULL AND status = 'running' AND NOT EXISTS (
                    SELECT 1 FROM proxies WHERE proxies.id = t.owner AND seen_at > now() - $1::bigint * interval '1 ms')
                  AND NOT EXISTS (SELECT 1 FROM released_calls AS r WHERE r.id = t.id)
                  AND NOT EXISTS (SELECT 1 FROM streams AS s WHERE s.id = t.id AND s.ended_at IS NULL)
                  AND NOT EXISTS (SELECT 1 FROM delegations AS d WHERE d.target_id = t.workspace_id
                    AND d.delegation_id = t.message_id AND d.status NOT IN ('completed', 'failed'))
                LIMIT $2 FOR UPDATE SKIP LOCKED)
            """;

    /** One that never ends, because its agent asked and nobody answered, is forgotten with the wait. */
    private static final String PRUNE_TASKS = """
            DELETE FROM tasks WHERE id IN (SELECT id FROM tasks
                WHERE work_id IS NULL AND started_at < now() - $1::bigint * interval '1 ms'
                  AND (ended_at IS NOT NULL OR started_at < now() - interval '366 days')
                ORDER BY started_at LIMIT $2)
            """;

    /** With its tasks, and its words by themselves. One that never ended is as old as its begin. */
    private static final String PRUNE_WORKS = """
            WITH old AS (
                SELECT id FROM works WHERE ended_at < now() - $1::bigint * interval '1 ms'
                    OR (ended_at IS NULL AND created_at < now() - $1::bigint * interval '1 ms') LIMIT $2
            ), tasks_of_it AS (
                DELETE FROM tasks WHERE work_id IN (SELECT id FROM old)
            )
            DELETE FROM works WHERE id IN (SELECT id FROM old)
            """;

    /** Each with all its tasks and words. */
    private static final int WORKS_AT_ONCE_MAX = 20;

    private final Pool pool;
    private final PgTaskList list;

    public PgTaskLog(Pool pool) {
        this.pool = pool;
        this.list = new PgTaskList(pool);
    }

    /** All of a batch or nothing; an end in the same batch as its begin comes after it. */
    Future<?> write(UUID owner, List<Begun> begins, List<Over> ends) {
        return pool.withTransaction(transaction -> begin(transaction, owner, begins)
                .compose(done -> end(transaction, ends))
                .compose(done -> said(
                        transaction, false, begins.stream().map(PgTaskLog::said).toList()))
                .compose(done -> said(
                        transaction, true, ends.stream().map(PgTaskLog::said).toList())));
    }

    PgTaskList list() {
        return list;
    }

    Future<Integer> lost(Duration unseen, int max) {
        return changed(LOST, Tuple.of(unseen.toMillis(), max));
    }

    Future<Integer> prune(Duration tasks, Duration works, int max) {
        return changed(PRUNE_WORKS, Tuple.of(works.toMillis(), WORKS_AT_ONCE_MAX))
                .compose(gone -> changed(PRUNE_TASKS, Tuple.of(tasks.toMillis(), max)));
    }

    private Future<Integer> changed(String statement, Tuple parameters) {
        return pool.preparedQuery(statement).execute(parameters).map(rows -> rows.rowCount());
    }

    private static Future<?> begin(SqlClient transaction, UUID owner, List<Begun> begins) {
        return begins.isEmpty()
                ? Future.succeededFuture()
                : transaction
                        .preparedQuery(BEGIN)
                        .execute(Tuple.tuple()
                                .addUUID(owner)
                                .addArrayOfUUID(uuids(begins, Begun::id))
                                .addArrayOfUUID(uuids(begins, Begun::target))
                                .addArrayOfUUID(uuids(begins, Begun::caller))
                                .addArrayOfString(texts(begins, Begun::messageId))
                                .addArrayOfString(texts(begins, Begun::taskId))
                                .addArrayOfString(texts(begins, Begun::contextId))
                                .addArrayOfString(texts(begins, Begun::trace))
                                .addArrayOfString(texts(begins, Begun::preview))
                                .addArrayOfString(texts(begins, Begun::words))
                                .addArrayOfOffsetDateTime(times(begins)));
    }

    private static Future<?> end(SqlClient transaction, List<Over> ends) {
        return ends.isEmpty()
                ? Future.succeededFuture()
                : transaction
                        .preparedQuery(END)
                        .execute(Tuple.tuple()
                                .addArrayOfUUID(uuids(ends, Over::id))
                                .addArrayOfUUID(uuids(ends, Over::target))
                                .addArrayOfString(texts(ends, Over::messageId))
                                .addArrayOfString(texts(ends, Over::taskId))
                                .addArrayOfString(texts(ends, Over::status))
                                .addArrayOfOffsetDateTime(ends.stream()
                                        .map(end -> end.at().atOffset(ZoneOffset.UTC))
                                        .toArray(OffsetDateTime[]::new)));
    }

    private record Said(
            UUID id,
            @Nullable UUID speaker,
            @Nullable UUID listener,
            String words,
            @Nullable String files,
            OffsetDateTime at) {}

    private static Said said(Begun begun) {
        return new Said(
                begun.id(),
                begun.caller(),
                begun.target(),
                begun.words(),
                null,
                begun.at().atOffset(ZoneOffset.UTC));
    }

    private static Said said(Over over) {
        return new Said(
                over.id(),
                over.target(),
                over.caller(),
                over.words(),
                over.files(),
                over.at().atOffset(ZoneOffset.UTC));
    }

    private static Future<?> said(SqlClient transaction, boolean answers, List<Said> all) {
        var words = all.stream()
                .filter(said -> !said.words.isEmpty() || said.files != null)
                .toList();
        return words.isEmpty()
                ? Future.succeededFuture()
                : transaction
                        .preparedQuery(SAID)
                        .execute(Tuple.tuple()
                                .addBoolean(answers)
                                .addArrayOfUUID(uuids(words, Said::id))
                                .addArrayOfUUID(uuids(words, Said::speaker))
                                .addArrayOfUUID(uuids(words, Said::listener))
                                .addArrayOfString(texts(words, Said::words))
                                .addArrayOfString(texts(words, Said::files))
                                .addArrayOfOffsetDateTime(
                                        words.stream().map(Said::at).toArray(OffsetDateTime[]::new)));
    }

    private static <T> UUID[] uuids(List<T> all, Function<T, @Nullable UUID> id) {
        return all.stream().map(id).toArray(UUID[]::new);
    }

    private static <T> String[] texts(List<T> all, Function<T, @Nullable String> text) {
        return all.stream()
                .map(text)
                .map(one -> one == null ? null : one.replace('\0', '\ufffd'))
                .toArray(String[]::new);
    }

    private static OffsetDateTime[] times(List<Begun> begins) {
        return begins.stream().map(begun -> begun.at().atOffset(ZoneOffset.UTC)).toArray(OffsetDateTime[]::new);
    }
}
