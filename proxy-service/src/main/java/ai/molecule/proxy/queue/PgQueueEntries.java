package ai.molecule.proxy.queue;

import ai.molecule.common.auth.Tokens;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.a2a.messages.BusyQueue.Waiting;
import ai.molecule.proxy.activity.RowIds;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Puts messages into the table {@code a2a_queue} and takes them out again, in the caller's transaction. */
public final class PgQueueEntries {

    /** Every message's priority: nothing sets another yet. */
    private static final int PRIORITY = 50;

    /** Taken before {@link #ENQUEUE} looks, so that two messages of a target are counted one after the other. */
    private static final String LOCK = "SELECT pg_advisory_xact_lock(73120, hashtext($1::uuid::text))";

    private static final String ENQUEUE = """
            WITH depth AS (
                SELECT count(*)::integer AS waiting, count(*) FILTER (WHERE caller_id = $3)::integer AS own
                FROM a2a_queue WHERE target_id = $2 AND status = 'queued'
            ), known AS (
                SELECT id, expires_at FROM a2a_queue
                WHERE target_id = $2 AND message_key = $7 AND status IN ('queued', 'dispatched')
            ), fresh AS (
                INSERT INTO a2a_queue (id, target_id, caller_id, priority, method, message_id, message_key, body, headers,
                    status, due_at, expires_at)
                SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, 'queued', now() + $10::bigint * interval '1 ms',
                    now() + $11::bigint * interval '1 ms'
                FROM depth WHERE waiting < $12 AND own < $13 AND NOT EXISTS (SELECT 1 FROM known)
                RETURNING id, expires_at
            )
            SELECT id, expires_at, waiting + 1 AS depth FROM fresh, depth
            UNION ALL SELECT id, expires_at, waiting FROM known, depth
            """;

    /** Safe under races because the rows are locked before they are judged: what is sent meanwhile is not taken out. */
    private static final String WITHDRAW = """
            WITH active AS (
                SELECT id, sent FROM a2a_queue
                WHERE target_id = $1 AND caller_id IS NOT DISTINCT FROM $2 AND message_id = $3 AND status IN ('queued', 'dispatched')
                FOR UPDATE
            ), withdrawn AS (
                UPDATE a2a_queue AS item SET status = 'dropped', claim = claim + 1, due_at = NULL, ended_at = now(),
                    last_error = 'withdrawn'
                FROM active WHERE item.id = active.id AND NOT active.sent
            )
            SELECT 1 FROM active WHERE sent
            """;

    private final RowIds ids;
    private final QueueLimits limits;

    public PgQueueEntries(RowIds ids, QueueLimits limits) {
        this.ids = ids;
        this.limits = limits;
    }

    /** Empty when as many wait for the target as may, in all or of this caller. One that waits already, by its message id, is answered as it is. */
    public Future<Optional<Waiting>> enqueue(
            SqlClient transaction, DeferredMessage deferred, String method, @Nullable String messageId) {
        return enqueue(transaction, deferred, method, messageId, limits.look());
    }

    /** The same for an agent that has not said that it is busy. */
    public Future<Optional<Waiting>> enqueueAtOnce(
            SqlClient transaction, DeferredMessage deferred, String method, @Nullable String messageId) {
        return enqueue(transaction, deferred, method, messageId, Duration.ZERO);
    }

    private Future<Optional<Waiting>> enqueue(
            SqlClient transaction,
            DeferredMessage deferred,
            String method,
            @Nullable String messageId,
            Duration pause) {
        String subject = (deferred.caller() == null ? "canvas" : deferred.caller()) + " " + messageId;
        var parameters = Tuple.tuple()
                .addUUID(ids.next())
                .addUUID(deferred.target())
                .addUUID(deferred.caller())
                .addInteger(PRIORITY)
                .addString(method.replace('\0', '\ufffd'))
                .addString(messageId == null ? null : messageId.replace('\0', '\ufffd'))
                .addString(messageId == null ? null : HexFormat.of().formatHex(Tokens.hash(subject)))
                .addBuffer(Buffer.buffer(deferred.body()))
                .addString(Json.text(deferred.headers()))
                .addLong(pause.toMillis())
                .addLong(limits.expiry().toMillis())
                .addInteger(limits.depthMax())
                .addInteger(limits.ofOneCallerMax());
        return transaction
                .preparedQuery(LOCK)
                .execute(Tuple.of(deferred.target()))
                .compose(locked -> transaction.preparedQuery(ENQUEUE).execute(parameters))
                .map(rows -> rows.stream()
                        .findFirst()
                        .map(row -> new Waiting(
                                row.getUUID("id"),
                                row.getInteger("depth"),
                                PRIORITY,
                                row.getOffsetDateTime("expires_at").toInstant())));
    }

    /** Takes a message out; false when it is at its target already. */
    public Future<Boolean> withdraw(SqlClient transaction, UUID target, @Nullable UUID caller, String messageId) {
        return transaction
                .preparedQuery(WITHDRAW)
                .execute(Tuple.of(target, caller, messageId))
                .map(sent -> sent.size() == 0);
    }
}
