package ai.molecule.proxy.waiting;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.a2a.Parcel;
import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.LeaseStore;
import ai.molecule.proxy.leases.PgLeases;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/** The table {@code released_calls}. */
public final class PgReleasedCalls implements LeaseStore<ReleasedCall> {

    private static final String KEEP = """
            INSERT INTO released_calls (id, workspace_id, task_id, caller_id, message_id, body, headers)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING
            """;

    /** Safe under races because rows others are claiming are passed over, and one claimed meanwhile is not due any more. */
    private static final String CLAIM = """
            WITH due AS (
                SELECT id FROM released_calls WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
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

    private final Pool pool;
    private final PgLeases leases;

    public PgReleasedCalls(Pool pool) {
        this.pool = pool;
        this.leases = new PgLeases(pool, "released_calls");
    }

    Future<Void> keep(Parcel parcel, String messageId, String taskId) {
        return pool.preparedQuery(KEEP)
                .execute(Tuple.tuple()
                        .addUUID(Objects.requireNonNull(parcel.rowId()))
                        .addUUID(parcel.target())
                        .addString(taskId)
                        .addUUID(parcel.caller())
                        .addString(messageId.replace('\0', '\ufffd'))
                        .addBuffer(Buffer.buffer(parcel.body()))
                        .addString(Json.text(parcel.headers())))
                .mapEmpty();
    }

    @Override
    public Future<List<ReleasedCall>> claim(int max, Duration lease) {
        return pool.preparedQuery(CLAIM)
                .execute(Tuple.of(max, lease.toMillis()))
                .map(rows -> rows.stream().map(PgReleasedCalls::call).toList());
    }

    @Override
    public Future<Void> renew(Collection<Claim> held, Duration lease) {
        return leases.renew(held, lease);
    }

    @Override
    public Future<Void> release(Collection<Claim> held) {
        return leases.release(held);
    }

    Future<Boolean> again(Claim claim, Duration pause, int lookups) {
        return leases.step(AGAIN, Tuple.of(claim.id(), claim.claim(), pause.toMillis(), lookups));
    }

    Future<Void> end(UUID id) {
        return pool.preparedQuery(END).execute(Tuple.of(id)).mapEmpty();
    }

    /** Those whose wait is over and whose next question is further off than that. */
    Future<Integer> hurry(Duration furtherThan) {
        return pool.preparedQuery(HURRY)
                .execute(Tuple.of(furtherThan.toMillis()))
                .map(rows -> rows.rowCount());
    }

    private static ReleasedCall call(Row row) {
        Map<String, String> headers = new HashMap<>();
        Json.stored(row.getString("headers"))
                .properties()
                .forEach(
                        header -> headers.put(header.getKey(), header.getValue().textValue()));
        var parcel = new Parcel(
                row.getUUID("id"),
                row.getUUID("workspace_id"),
                row.getUUID("caller_id"),
                row.getBuffer("body").getBytes(),
                headers);
        return new ReleasedCall(
                row.getUUID("id"),
                row.getLong("claim"),
                parcel,
                row.getString("message_id"),
                row.getBoolean("waits"),
                row.getInteger("lookups"));
    }
}
