package ai.molecule.proxy.queue;

import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.a2a.messages.BusyQueue.Waiting;
import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.PgLeases;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@link QueueStore} on the table {@code a2a_queue} (db/proxy/V010__a2a_queue.sql). */
public final class PgQueueStore extends PgLeases<QueueItem> implements QueueStore {

    private static final int DROPPED_MAX = 1000;

    /**
     * Only the first of each target is taken, and only when it is due; one that is at its target is the first. Targets are walked one
     * by one over an index, so that long queues of some hide nobody. Safe under races because rows others are claiming are passed
     * over and the unique index lets one of a target be dispatched at a time.
     */
    private static final String CLAIM = """
            WITH RECURSIVE targets (id) AS (
                (SELECT target_id FROM a2a_queue WHERE status IN ('queued', 'dispatched') ORDER BY target_id LIMIT 1)
                UNION ALL
                SELECT (SELECT target_id FROM a2a_queue
                        WHERE status IN ('queued', 'dispatched') AND target_id > targets.id ORDER BY target_id LIMIT 1)
                FROM targets WHERE id IS NOT NULL
            ), heads AS (
                SELECT coalesce(
                    (SELECT id FROM a2a_queue WHERE target_id = targets.id AND status = 'dispatched'),
                    (SELECT id FROM a2a_queue WHERE target_id = targets.id AND status = 'queued'
                     ORDER BY priority DESC, seq LIMIT 1)) AS id
                FROM targets WHERE id IS NOT NULL
            ), due AS (
                SELECT id, status FROM a2a_queue
                WHERE id IN (SELECT id FROM heads) AND due_at <= now() AND now() < $3 AND status IN ('queued', 'dispatched')
                ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
            )
            UPDATE a2a_queue AS item
            SET status = 'dispatched', claim = claim + 1, due_at = now() + $2::bigint * interval '1 ms',
                attempts = attempts + (due.status = 'queued')::integer
            FROM due WHERE item.id = due.id
            RETURNING item.id, claim, target_id, caller_id, message_id, body, headers, attempts, lookups, sent,
                (extract(epoch FROM expires_at - now()) * 1000)::bigint AS left_millis
            """;

    private static final String HELD = " WHERE id = $1 AND claim = $2 AND status = 'dispatched'";

    private static final String SENDING = "UPDATE a2a_queue SET sent = true" + HELD;

    /** Whoever took it has counted an attempt. */
    private static final String AGAIN = """
            UPDATE a2a_queue SET status = 'queued', sent = false, claim = claim + 1, last_error = $4, attempts = attempts - $5::integer,
                due_at = least(now() + $3::bigint * interval '1 ms', expires_at)""" + HELD;

    private static final String LOOK_UP = """
            UPDATE a2a_queue SET lookups = lookups + $4::integer, claim = claim + 1,
                due_at = least(now() + $3::bigint * interval '1 ms', expires_at)""" + HELD;

    private static final String END = """
            UPDATE a2a_queue SET status = CASE WHEN $3::text IS NULL THEN 'completed' ELSE 'failed' END, claim = claim + 1,
                last_error = $3::text, due_at = NULL, ended_at = now()""" + HELD;

    /** Safe under races because what has ended is not changed, and whoever holds the row loses its claim. */
    private static final String ANSWERED = """
            UPDATE a2a_queue SET status = CASE WHEN $2::text IS NULL THEN 'completed' ELSE 'failed' END, claim = claim + 1,
                last_error = $2::text, due_at = NULL, ended_at = now()
            WHERE id = $1 AND status IN ('queued', 'dispatched')
            """;

    private static final String HURRY = """
            UPDATE a2a_queue SET due_at = now() WHERE target_id = $1 AND status = 'queued' AND due_at > now()
            """;

    private static final String TARGETS = "SELECT DISTINCT target_id FROM a2a_queue WHERE status = 'queued' LIMIT $1";

    /** A message that is at its target is not dropped. */
    private static final String DROP = """
            UPDATE a2a_queue SET status = 'dropped', claim = claim + 1, due_at = NULL, ended_at = now(),
                last_error = $4
            WHERE id IN (SELECT id FROM a2a_queue
                WHERE status = 'queued' AND enqueued_at < now() - $1::bigint * interval '1 ms'
                  AND ($2::uuid IS NULL OR target_id = $2)
                ORDER BY seq LIMIT $3 FOR UPDATE SKIP LOCKED)
            RETURNING id, target_id, caller_id, body, headers
            """;

    private static final String PRUNE = """
            DELETE FROM a2a_queue WHERE id IN (SELECT id FROM a2a_queue
                WHERE ended_at < now() - $1::bigint * interval '1 ms' ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)
            """;

    private final Database database;
    private final PgQueueEntries admission;
    private final ActivityLog activity;

    public PgQueueStore(Database database, PgQueueEntries admission, ActivityLog activity) {
        super(database, "a2a_queue");
        this.database = database;
        this.admission = admission;
        this.activity = activity;
    }

    @Override
    public Future<Optional<Waiting>> enqueue(DeferredMessage deferred, String method, @Nullable String messageId) {
        return database.transaction(
                transaction -> admission.enqueue(transaction.client(), deferred, method, messageId));
    }

    @Override
    public Future<List<QueueItem>> claim(int max, Duration lease, Instant until) {
        return database.list(CLAIM, claiming(max, lease, until), PgQueueStore::item)
                .recover(failure -> Postgres.isUniqueViolation(failure) // another replica was first
                        ? Future.succeededFuture(List.of())
                        : Future.failedFuture(failure));
    }

    @Override
    public Future<Boolean> sending(Claim claim) {
        return step(SENDING, Tuple.of(claim.id(), claim.claim()));
    }

    @Override
    public Future<Boolean> again(Claim claim, Duration pause, String error, boolean counts) {
        return step(
                AGAIN,
                Tuple.of(claim.id(), claim.claim(), pause.toMillis(), error.replace('\0', '\ufffd'), counts ? 0 : 1));
    }

    @Override
    public Future<Boolean> lookUp(Claim claim, Duration pause, boolean counts) {
        return step(LOOK_UP, Tuple.of(claim.id(), claim.claim(), pause.toMillis(), counts ? 1 : 0));
    }

    @Override
    public Future<Boolean> end(Claim claim, @Nullable String error) {
        return step(END, Tuple.of(claim.id(), claim.claim(), storable(error)));
    }

    @Override
    public Future<Boolean> answered(UUID id, @Nullable String error) {
        return step(ANSWERED, Tuple.of(id, storable(error)));
    }

    private static @Nullable String storable(@Nullable String error) {
        return error == null ? null : error.replace('\0', '\ufffd');
    }

    @Override
    public Future<Boolean> hand(Claim claim, ActivityRow message) {
        return database.transaction(transaction -> transaction
                        .changes(END, Tuple.of(claim.id(), claim.claim(), null))
                        .compose(ended -> ended
                                ? activity.append(transaction.client(), List.of(message))
                                        .map(Optional::of)
                                : Future.succeededFuture(Optional.<Set<UUID>>empty())))
                .onSuccess(fresh -> fresh.ifPresent(ids -> activity.committed(List.of(message), ids)))
                .map(Optional::isPresent);
    }

    @Override
    public Future<Void> hurry(UUID target) {
        return database.run(HURRY, Tuple.of(target));
    }

    @Override
    public Future<List<UUID>> targets(int max) {
        return database.list(TARGETS, Tuple.of(max), row -> row.getUUID(0));
    }

    @Override
    public Future<List<DeferredMessage>> drop(Duration age, @Nullable UUID target, String why) {
        return database.list(DROP, Tuple.of(age.toMillis(), target, DROPPED_MAX, why), PgQueueStore::deferred);
    }

    @Override
    public Future<Integer> prune(Duration age, int max) {
        return database.update(PRUNE, Tuple.of(age.toMillis(), max));
    }

    private static QueueItem item(Row row) {
        return new QueueItem(
                row.getUUID("id"),
                row.getLong("claim"),
                deferred(row),
                row.getString("message_id"),
                row.getInteger("attempts"),
                row.getInteger("lookups"),
                row.getBoolean("sent"),
                Duration.ofMillis(row.getLong("left_millis")));
    }

    private static DeferredMessage deferred(Row row) {
        Map<String, String> headers = new HashMap<>();
        Json.stored(row.getString("headers"))
                .properties()
                .forEach(
                        header -> headers.put(header.getKey(), header.getValue().textValue()));
        return new DeferredMessage(
                row.getUUID("id"),
                row.getUUID("target_id"),
                row.getUUID("caller_id"),
                row.getBuffer("body").getBytes(),
                headers);
    }
}
