package ai.molecule.proxy.waiting;

import ai.molecule.common.db.Database;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.PgLeases;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** The table {@code released_calls}. */
public final class PgReleasedCalls extends PgLeases<ReleasedCall> {

    private static final String KEEP = """
            INSERT INTO released_calls (id, workspace_id, task_id, caller_id, message_id, body, headers)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING
            """;

    /** Safe under races because rows others are claiming are passed over, and one claimed meanwhile is not due any more. */
    private static final String CLAIM = """
            WITH due AS (
                SELECT id FROM released_calls WHERE due_at <= now() AND now() < $3 ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
            )
            UPDATE released_calls AS call SET claim = claim + 1, due_at = now() + $2::bigint * interval '1 ms'
            FROM due WHERE call.id = due.id
            RETURNING call.id, claim, workspace_id, caller_id, message_id, body, headers, lookups, EXISTS (
                SELECT 1 FROM waits WHERE waits.workspace_id = call.workspace_id AND waits.task_id IN (call.task_id, call.message_id)) AS waits
            """;

    private static final String AGAIN = """
            UPDATE released_calls SET due_at = now() + $3::bigint * interval '1 ms', lookups = $4, claim = claim + 1
            WHERE id = $1 AND claim = $2
            """;

    private static final String END = "DELETE FROM released_calls WHERE id = $1";

    /** What a person decided is looked at at once. */
    private static final String HURRY = """
            UPDATE released_calls AS call SET due_at = now(), claim = claim + 1
            WHERE due_at > now() + $1::bigint * interval '1 ms' AND NOT EXISTS (
                SELECT 1 FROM waits WHERE waits.workspace_id = call.workspace_id AND waits.task_id IN (call.task_id, call.message_id))
            """;

    private final Database database;

    public PgReleasedCalls(Database database) {
        super(database, "released_calls");
        this.database = database;
    }

    Future<Void> keep(DeferredMessage deferred, String messageId, String taskId) {
        return database.run(
                KEEP,
                Tuple.tuple()
                        .addUUID(Objects.requireNonNull(deferred.rowId()))
                        .addUUID(deferred.target())
                        .addString(taskId)
                        .addUUID(deferred.caller())
                        .addString(messageId.replace('\0', '\ufffd'))
                        .addBuffer(Buffer.buffer(deferred.body()))
                        .addString(Json.text(deferred.headers())));
    }

    @Override
    public Future<List<ReleasedCall>> claim(int max, Duration lease, Instant until) {
        return database.list(CLAIM, claiming(max, lease, until), PgReleasedCalls::call);
    }

    Future<Boolean> again(Claim claim, Duration pause, int lookups) {
        return step(AGAIN, Tuple.of(claim.id(), claim.claim(), pause.toMillis(), lookups));
    }

    Future<Void> end(UUID id) {
        return database.run(END, Tuple.of(id));
    }

    /** Those whose wait is over and whose next question is further off than that. */
    Future<Integer> hurry(Duration furtherThan) {
        return database.update(HURRY, Tuple.of(furtherThan.toMillis()));
    }

    private static ReleasedCall call(Row row) {
        Map<String, String> headers = new HashMap<>();
        Json.stored(row.getString("headers"))
                .properties()
                .forEach(
                        header -> headers.put(header.getKey(), header.getValue().textValue()));
        var deferred = new DeferredMessage(
                row.getUUID("id"),
                row.getUUID("workspace_id"),
                row.getUUID("caller_id"),
                row.getBuffer("body").getBytes(),
                headers);
        return new ReleasedCall(
                row.getUUID("id"),
                row.getLong("claim"),
                deferred,
                row.getString("message_id"),
                row.getBoolean("waits"),
                row.getInteger("lookups"));
    }
}
