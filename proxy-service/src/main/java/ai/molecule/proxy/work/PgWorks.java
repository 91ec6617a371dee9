package ai.molecule.proxy.work;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.proxy.WorkAnswers;
import ai.molecule.common.db.Database;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.queue.PgQueueEntries;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Pieces of work in PostgreSQL (db/proxy/V017__tasks.sql, V023__tasks_in_one_row.sql, V058__stopped_tasks.sql). */
public final class PgWorks {

    /** Of what brings a piece of work, in the transaction that stores it; false where that is known already. */
    @FunctionalInterface
    public interface First {

        Future<Boolean> takes(SqlClient transaction);
    }

    private static final String INSERT = """
            INSERT INTO works (id, root_task, workspace_id, asked_by, title, brief, context_id, limit_usd, limit_by_default, due, created_at)
            SELECT $1, $2, $3, $4, $5, $6, $9, CASE WHEN $10 THEN $7 ELSE (SELECT run_limit_usd FROM spending) END, NOT $10, $8, now()
            """;

    /**
     * A person is asked while a task of it waits, whatever its own message has come to; for money only while it is under way, because it is
     * known to rest for a minute after it was last refused. One whose first message was canceled was stopped.
     */
    private static final String COLUMNS = """
            SELECT w.id, w.workspace_id, w.asked_by, w.title, w.brief, w.limit_usd, w.due, w.created_at, w.ended_at,
                CASE WHEN EXISTS (SELECT 1 FROM tasks AS t JOIN waits ON waits.workspace_id = t.workspace_id
                        AND waits.task_id IN (t.task_id, t.message_id)
                        WHERE t.work_id = w.id AND (waits.cause <> 'money' OR t.ended_at IS NULL)) THEN 'needs_you'
                    WHEN w.status = 'failed' AND EXISTS (SELECT 1 FROM tasks AS t WHERE t.id = w.root_task AND t.status = 'stopped')
                        THEN 'stopped'
                    ELSE w.status END AS state,
                (SELECT sum(cost_micros) FROM model_calls WHERE id IN (
                    SELECT called.id FROM tasks AS t JOIN model_calls AS called ON called.trace_id = t.trace WHERE t.work_id = w.id
                    UNION
                    SELECT called.id FROM delegations AS d JOIN model_calls AS called ON called.delegation_id = d.delegation_id
                    WHERE d.work_id = w.id)) AS cost_micros,
                w.workspace_id = ANY (%1$s)
                    OR EXISTS (SELECT 1 FROM tasks AS t WHERE t.work_id = w.id AND t.workspace_id = ANY (%1$s))
                    OR EXISTS (SELECT 1 FROM delegations AS d WHERE d.work_id = w.id AND d.target_id = ANY (%1$s)) AS unmetered
            FROM works AS w
            """;

    private static final String FIND = COLUMNS.formatted("$2::uuid[]") + " WHERE w.id = $1";

    /** Of two that set it at once the later counts. */
    private static final String LIMIT = "UPDATE works SET limit_usd = $2 WHERE id = $1";

    private static final String CURSOR =
            "SELECT created_at FROM works WHERE id = $1 AND ($2::uuid[] IS NULL OR workspace_id = ANY ($2))";

    /** The cursor's time is a parameter, so that the index is entered at the right place. */
    private static final String LIST = "SELECT * FROM (" + COLUMNS.formatted("$5::uuid[]") + """
             WHERE ($1::timestamptz IS NULL OR (w.created_at, w.id) < ($1, $2::uuid))
                AND ($6::uuid[] IS NULL OR w.workspace_id = ANY ($6))) AS work
            WHERE $4::text IS NULL OR state = $4
            ORDER BY created_at DESC, id DESC LIMIT $3
            """;

    private static final String TASKS = """
            SELECT t.id, t.caller_id, t.workspace_id, t.message_id, t.preview, t.status, t.started_at, t.ended_at, EXISTS (
                SELECT 1 FROM waits WHERE waits.workspace_id = t.workspace_id AND waits.task_id IN (t.task_id, t.message_id)
                    AND (waits.cause <> 'money' OR t.ended_at IS NULL)) AS waits
            FROM tasks AS t WHERE t.work_id = $1 ORDER BY t.started_at, t.id LIMIT $2
            """;

    private static final String DELEGATIONS = """
            SELECT id, delegation_id, source_id, target_id, left(task, 60) AS preview, status, outcome_unknown, created_at,
                CASE WHEN status IN ('completed', 'failed') THEN result_at END AS ended_at, stopped_at IS NOT NULL AS waits,
                EXISTS (SELECT 1 FROM tasks AS t WHERE t.workspace_id = d.target_id AND t.message_id = d.delegation_id
                    AND t.status = 'stopped') AS canceled
            FROM delegations AS d WHERE work_id = $1 ORDER BY created_at, id LIMIT $2
            """;

    private static final String WORDS = """
            SELECT id, answer, speaker, listener, words, files::text AS files, said_at FROM (
                SELECT t.id, false AS answer, t.caller_id AS speaker, t.workspace_id AS listener,
                    CASE WHEN t.id = w.id THEN nullif(w.brief, '') ELSE t.words END AS words, NULL AS files, t.started_at AS said_at
                FROM works AS w JOIN tasks AS t ON t.work_id = w.id WHERE w.id = $1
                UNION ALL
                SELECT id, true, workspace_id, caller_id, answer, files, answered_at FROM tasks WHERE work_id = $1
            ) AS said
            WHERE words IS NOT NULL ORDER BY said_at, answer, id LIMIT $2
            """;

    private static final String TAKES_PART = """
            SELECT EXISTS (SELECT 1 FROM works WHERE id = $1 AND workspace_id = ANY ($2))
                OR EXISTS (SELECT 1 FROM tasks WHERE work_id = $1 AND (workspace_id = ANY ($2) OR caller_id = ANY ($2)))
                OR EXISTS (SELECT 1 FROM delegations WHERE work_id = $1 AND (source_id = ANY ($2) OR target_id = ANY ($2)))
            """;

    /** Of two at the same time the second fails at the key. */
    private static final String IS_THERE = "SELECT 1 FROM works WHERE id = $1";

    /** One whose first message was canceled was stopped. */
    private static final String ANSWERS = """
            SELECT asked.id, CASE WHEN w.id IS NULL THEN 'gone' WHEN w.status = 'failed' AND t.status = 'stopped' THEN 'stopped' ELSE w.status END AS state, t.answer
            FROM unnest($1::uuid[]) AS asked (id) LEFT JOIN works AS w ON w.id = asked.id LEFT JOIN tasks AS t ON t.id = w.root_task
            WHERE w.id IS NULL OR w.ended_at IS NOT NULL
            """;

    private final Database database;
    private final Pool pool;
    private final PgQueueEntries queue;

    /** @param queue where a work's message waits until its agent takes it */
    public PgWorks(Database database, PgQueueEntries queue) {
        this.database = database;
        this.pool = database.pool();
        this.queue = queue;
    }

    /** Stores it with its message, to be taken to the agent; false when too many wait for that one. */
    Future<Boolean> insert(NewWork work, String askedBy, byte[] message, Map<String, String> headers) {
        return pool.withTransaction(transaction -> insert(transaction, work, askedBy, message, headers));
    }

    /** The same once {@code first} has said yes in the same transaction, else false; fails with UNAVAILABLE when too many wait. */
    Future<Boolean> insert(NewWork work, String askedBy, byte[] message, Map<String, String> headers, First first) {
        return pool.withTransaction(transaction -> first.takes(transaction).compose(fresh -> {
            if (!fresh) {
                return Future.succeededFuture(false);
            }
            return insert(transaction, work, askedBy, message, headers).map(stored -> {
                if (!stored) {
                    throw ApiError.unavailable("workspace agent busy — retry after a short backoff");
                }
                return true;
            });
        }));
    }

    private Future<Boolean> insert(
            SqlClient transaction, NewWork work, String askedBy, byte[] message, Map<String, String> headers) {
        var deferred = new DeferredMessage(null, work.to(), null, message, headers);
        return queue.enqueue(transaction, deferred, "message/send", work.id().toString())
                .compose(waiting -> waiting.isEmpty()
                        ? Future.succeededFuture(false)
                        : transaction
                                .preparedQuery(INSERT)
                                .execute(Tuple.tuple()
                                        .addUUID(work.id())
                                        .addUUID(waiting.get().id())
                                        .addUUID(work.to())
                                        .addString(askedBy)
                                        .addString(work.title())
                                        .addString(work.brief())
                                        .addBigDecimal(work.limit())
                                        .addOffsetDateTime(
                                                work.due() == null
                                                        ? null
                                                        : work.due().atOffset(ZoneOffset.UTC))
                                        .addString(work.context())
                                        .addBoolean(work.limitSaid()))
                                .map(true));
    }

    /** @param unmetered the agents whose calls nobody meters */
    Future<Optional<PieceOfWork>> find(UUID id, List<UUID> unmetered) {
        return pool.preparedQuery(FIND)
                .execute(Tuple.tuple().addUUID(id).addArrayOfUUID(unmetered.toArray(UUID[]::new)))
                .map(rows -> rows.stream().findFirst().map(PgWorks::work));
    }

    /** For who may say the same again. */
    First unlessThere(UUID id) {
        return transaction ->
                transaction.preparedQuery(IS_THERE).execute(Tuple.of(id)).map(rows -> rows.size() == 0);
    }

    /** Of those that ended, or are not kept. */
    Future<List<WorkAnswers.One>> answers(List<UUID> ids) {
        return database.list(
                ANSWERS,
                Tuple.tuple().addArrayOfUUID(ids.toArray(UUID[]::new)),
                row -> new WorkAnswers.One(row.getUUID("id"), row.getString("state"), row.getString("answer")));
    }

    /** False for one that there is not. */
    Future<Boolean> limit(UUID id, @Nullable BigDecimal dollars) {
        return database.changes(LIMIT, Tuple.tuple().addUUID(id).addBigDecimal(dollars));
    }

    /** Newest first, behind {@code after}; fails with GONE for one that is none (any more). */
    Future<List<PieceOfWork>> list(
            @Nullable String state, @Nullable UUID after, int limit, List<UUID> unmetered, @Nullable Set<UUID> within) {
        UUID[] shown = within == null ? null : within.toArray(UUID[]::new);
        return timeOf(after, shown)
                .compose(time -> pool.preparedQuery(LIST)
                        .execute(Tuple.tuple()
                                .addOffsetDateTime(time)
                                .addUUID(after)
                                .addInteger(limit)
                                .addString(state)
                                .addArrayOfUUID(unmetered.toArray(UUID[]::new))
                                .addArrayOfUUID(shown)))
                .map(rows -> rows.stream().map(PgWorks::work).toList());
    }

    Future<List<WorkTree.Node>> tasks(UUID work, int max) {
        return of(TASKS, work, max, PgWorks::task);
    }

    Future<List<WorkTree.Node>> delegations(UUID work, int max) {
        return of(DELEGATIONS, work, max, PgWorks::delegation);
    }

    Future<List<PieceOfWork.Said>> words(UUID work, int max) {
        return of(WORDS, work, max, PgWorks::said);
    }

    Future<Boolean> takesPart(UUID work, Set<UUID> workspaces) {
        return pool.preparedQuery(TAKES_PART)
                .execute(Tuple.tuple().addUUID(work).addArrayOfUUID(workspaces.toArray(UUID[]::new)))
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    private <T> Future<List<T>> of(String query, UUID work, int max, Function<Row, T> read) {
        return pool.preparedQuery(query)
                .execute(Tuple.of(work, max))
                .map(rows -> rows.stream().map(read).toList());
    }

    private Future<@Nullable OffsetDateTime> timeOf(@Nullable UUID cursor, UUID @Nullable [] shown) {
        return cursor == null
                ? Future.succeededFuture()
                : pool.preparedQuery(CURSOR)
                        .execute(Tuple.tuple().addUUID(cursor).addArrayOfUUID(shown))
                        .map(rows -> rows.stream()
                                .findFirst()
                                .map(row -> row.getOffsetDateTime(0))
                                .orElseThrow(() -> new ApiError(ApiError.Kind.GONE, "unknown cursor")));
    }

    private static PieceOfWork work(Row row) {
        return new PieceOfWork(
                row.getUUID("id"),
                row.getUUID("workspace_id"),
                row.getString("asked_by"),
                row.getString("title"),
                row.getString("brief"),
                row.getBigDecimal("limit_usd"),
                row.getBigDecimal("cost_micros"),
                !row.getBoolean("unmetered"),
                instant(row, "due"),
                row.getString("state"),
                row.getOffsetDateTime("created_at").toInstant(),
                instant(row, "ended_at"));
    }

    private static WorkTree.Node task(Row row) {
        return new WorkTree.Node(
                row.getUUID("id"),
                false,
                row.getUUID("caller_id"),
                row.getUUID("workspace_id"),
                row.getString("message_id"),
                row.getString("preview"),
                row.getBoolean("waits") ? "waiting" : row.getString("status"),
                row.getOffsetDateTime("started_at").toInstant(),
                instant(row, "ended_at"));
    }

    private static WorkTree.Node delegation(Row row) {
        String state =
                switch (row.getString("status")) {
                    case "completed" -> "ok";
                    case "failed" ->
                        row.getBoolean("canceled")
                                ? "stopped"
                                : row.getBoolean("outcome_unknown") ? "unknown" : "error";
                    default -> row.getBoolean("waits") ? "waiting" : "running";
                };
        return new WorkTree.Node(
                row.getUUID("id"),
                true,
                row.getUUID("source_id"),
                row.getUUID("target_id"),
                row.getString("delegation_id"),
                row.getString("preview"),
                state,
                row.getOffsetDateTime("created_at").toInstant(),
                instant(row, "ended_at"));
    }

    private static PieceOfWork.Said said(Row row) {
        return new PieceOfWork.Said(
                row.getUUID("id"),
                row.getBoolean("answer"),
                row.getUUID("speaker"),
                row.getUUID("listener"),
                row.getString("words"),
                row.getString("files"),
                row.getOffsetDateTime("said_at").toInstant());
    }

    private static @Nullable Instant instant(Row row, String column) {
        var time = row.getOffsetDateTime(column);
        return time == null ? null : time.toInstant();
    }
}
