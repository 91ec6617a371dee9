package ai.molecule.proxy.known;

import ai.molecule.common.db.Database;
import ai.molecule.proxy.known.KnownTasks.Note;
import ai.molecule.proxy.known.KnownTasks.Page;
import ai.molecule.proxy.known.KnownTasks.Question;
import ai.molecule.proxy.protocol.TaskState;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The table {@code known_tasks} (db/proxy/V055__known_tasks.sql). */
final class PgKnownTasks {

    static final int COUNTED_MAX = 10_000;

    /** Rows in the order of their keys, so that two replicas that write the same wait for each other; nothing follows a final state. */
    private static final String WRITE = """
            INSERT INTO known_tasks AS known (workspace_id, task_id, caller_id, context_id, state, status, status_at)
            SELECT workspace_id, task_id, caller_id, context_id, state, status, status_at
            FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::boolean[])
                AS given (workspace_id, task_id, caller_id, context_id, state, status, status_at, begins)
            WHERE begins OR EXISTS (SELECT 1 FROM known_tasks AS before
                WHERE before.workspace_id = given.workspace_id AND before.task_id = given.task_id)
            ORDER BY workspace_id, task_id
            ON CONFLICT (workspace_id, task_id) DO UPDATE SET context_id = coalesce(excluded.context_id, known.context_id),
                state = excluded.state, status = excluded.status, status_at = excluded.status_at
            WHERE known.state NOT IN ('completed', 'failed', 'canceled', 'rejected')
            """;

    private static final String MATCHING = """
            FROM known_tasks
            WHERE workspace_id = $1 AND ($2::uuid IS NULL OR caller_id = $2) AND ($3::text IS NULL OR context_id = $3)
                AND ($4::text IS NULL OR state = $4) AND ($5::timestamptz IS NULL OR status_at >= $5)
            """;

    private static final String PAGE = "SELECT task_id, caller_id, context_id, state, status, status_at " + MATCHING
            + " AND ($6::timestamptz IS NULL OR (status_at, task_id) < ($6, $7::text))"
            + " ORDER BY status_at DESC, task_id DESC LIMIT $8";

    private static final String COUNT = "SELECT count(*)::int FROM (SELECT " + MATCHING + " LIMIT $6) AS counted";

    private static final String FORGET = """
            DELETE FROM known_tasks WHERE (workspace_id, task_id) IN (SELECT workspace_id, task_id FROM known_tasks
                WHERE status_at < now() - $1::bigint * interval '1 ms' LIMIT $2 FOR UPDATE SKIP LOCKED)
            """;

    /** A task is whose message began it, whoever went on with it; a message of one id is nobody's whom another sent one of it, too. */
    static final String OF_ANOTHER = """
            SELECT coalesce(
                    (SELECT caller_id IS DISTINCT FROM $2::uuid FROM tasks
                        WHERE workspace_id = $1 AND task_id = $3::text ORDER BY started_at, id LIMIT 1),
                    (SELECT caller_id IS DISTINCT FROM $2::uuid FROM known_tasks WHERE workspace_id = $1 AND task_id = $3::text),
                    false)
                OR EXISTS (SELECT 1 FROM tasks
                    WHERE workspace_id = $1 AND message_id = $4::text AND caller_id IS DISTINCT FROM $2::uuid)
            """;

    private record Key(UUID workspaceId, String taskId) {}

    private final Database database;

    PgKnownTasks(Database database) {
        this.database = database;
    }

    /** Of one task the last that is in a batch. */
    Future<?> write(List<Note> notes) {
        Map<Key, Note> last = new LinkedHashMap<>();
        for (var note : notes) {
            var key = new Key(note.task().workspaceId(), note.task().taskId());
            last.merge(
                    key,
                    note,
                    (before, after) -> before.task().state().isFinal()
                            ? before
                            : new Note(
                                    before.begins() ? begunBy(before, after) : after.task(),
                                    before.begins() || after.begins()));
        }
        var rows = new ArrayList<>(last.values());
        return database.run(
                WRITE,
                Tuple.tuple()
                        .addValue(column(rows, row -> row.task().workspaceId(), UUID[]::new))
                        .addValue(column(rows, row -> row.task().taskId(), String[]::new))
                        .addValue(column(rows, row -> row.task().callerId(), UUID[]::new))
                        .addValue(column(rows, row -> row.task().contextId(), String[]::new))
                        .addValue(column(rows, row -> row.task().state().wire(), String[]::new))
                        .addValue(column(rows, row -> row.task().status(), String[]::new))
                        .addValue(column(rows, row -> row.task().at().atOffset(ZoneOffset.UTC), OffsetDateTime[]::new))
                        .addValue(column(rows, Note::begins, Boolean[]::new)));
    }

    private static KnownTask begunBy(Note before, Note after) {
        var task = after.task();
        return new KnownTask(
                task.workspaceId(),
                task.taskId(),
                before.task().callerId(),
                task.contextId() == null ? before.task().contextId() : task.contextId(),
                task.state(),
                task.status(),
                task.at());
    }

    Future<Page> page(Question asked) {
        var after = asked.after();
        var listed = matching(asked)
                .addValue(after == null ? null : after.at().atOffset(ZoneOffset.UTC))
                .addValue(after == null ? null : after.taskId())
                .addInteger(asked.size() + 1);
        return database.list(PAGE, listed, row -> task(asked.workspaceId(), row))
                .compose(found -> database.get(COUNT, matching(asked).addInteger(COUNTED_MAX), row -> row.getInteger(0))
                        .map(total -> new Page(
                                found.subList(0, Math.min(found.size(), asked.size())),
                                found.size() > asked.size(),
                                total)));
    }

    Future<Boolean> isOfAnother(UUID workspaceId, UUID asker, @Nullable String taskId, @Nullable String messageId) {
        return database.get(OF_ANOTHER, Tuple.of(workspaceId, asker, taskId, messageId), row -> row.getBoolean(0));
    }

    private static Tuple matching(Question asked) {
        var since = asked.since();
        return Tuple.of(
                asked.workspaceId(),
                asked.asker(),
                asked.contextId(),
                asked.state(),
                since == null ? null : since.atOffset(ZoneOffset.UTC));
    }

    Future<Integer> forget(Duration age, int max) {
        return database.update(FORGET, Tuple.of(age.toMillis(), max));
    }

    private static KnownTask task(UUID workspaceId, Row row) {
        return new KnownTask(
                workspaceId,
                row.getString("task_id"),
                row.getUUID("caller_id"),
                row.getString("context_id"),
                TaskState.ofWire(row.getString("state")).orElseThrow(),
                row.getString("status"),
                row.getOffsetDateTime("status_at").toInstant());
    }

    private static <V> @Nullable V[] column(
            List<Note> rows, Function<Note, ? extends @Nullable V> field, IntFunction<@Nullable V[]> array) {
        return rows.stream().map(field).toArray(array);
    }
}
