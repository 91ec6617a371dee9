package ai.molecule.proxy.delegations;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.db.Sql;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.PgLeases;
import ai.molecule.proxy.queue.PgQueueEntries;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** {@link WorkStore} on the table {@code delegations}. Leases are measured by the database's clock, the same for all replicas. */
public final class PgWorkStore extends PgLeases<Delegation> implements WorkStore {

    /** Safe under races because rows others are claiming are passed over, and one claimed meanwhile is not due any more. */
    private static final String CLAIM = """
            WITH due AS (
                SELECT id, status = 'pending' AS fresh FROM delegations
                WHERE due_at <= now() AND now() < $3 AND (stopped_at IS NULL OR waits_for IS NULL)
                ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
            ), claimed AS (
                UPDATE delegations AS delegation
                SET claim = claim + 1, due_at = now() + $2::bigint * interval '1 ms',
                    status = CASE WHEN due.fresh THEN 'dispatched' ELSE status END
                FROM due WHERE delegation.id = due.id
                RETURNING delegation.*, due.fresh
            )
            SELECT %s, fresh, claim, coalesce(waits_for = 'capacity', false) AS queued, sent, tries, lookups, traceparent, passport, unjudged,
                stopped_at IS NOT NULL AS waits,
                (extract(epoch FROM deadline - coalesce(stopped_at, now())) * 1000)::bigint AS left_millis,
                CASE WHEN fresh THEN log.append('DELEGATION_STATUS', source_id, jsonb_build_object(
                    'delegation_id', delegation_id, 'target_id', target_id, 'status', 'dispatched')) END AS told
            FROM claimed
            """.formatted(PgDelegationLog.COLUMNS);

    private static final String HELD = " WHERE id = $1 AND claim = $2 AND status NOT IN ('completed', 'failed')";

    private static final String SENDING = "UPDATE delegations SET sent = true" + HELD;

    /** While a person is asked, seldom: only in case the target goes on without. */
    private static final String SEND_AGAIN = """
            UPDATE delegations SET sent = false, tries = tries + $4::integer, claim = claim + 1,
                due_at = CASE WHEN stopped_at IS NULL THEN least(now() + $3::bigint * interval '1 ms', deadline)
                    ELSE now() + greatest($3::bigint, 60000) * interval '1 ms' END""" + HELD;

    private static final String LOOK_UP = """
            UPDATE delegations SET lookups = lookups + $4::integer, claim = claim + 1,
                due_at = CASE WHEN stopped_at IS NULL THEN least(now() + $3::bigint * interval '1 ms', deadline)
                    ELSE now() + greatest($3::bigint, 60000) * interval '1 ms' END""" + HELD;

    /** The event goes out with the change or not at all. */
    private static final String QUEUED = """

                RETURNING *
            )
            SELECT %s, log.append('DELEGATION_STATUS', source_id, jsonb_build_object(
                'delegation_id', delegation_id, 'target_id', target_id, 'status', 'queued')) FROM waiting
            """.formatted(PgDelegationLog.COLUMNS);

    private static final String AWAIT_REPLY = """
            WITH waiting AS (
                UPDATE delegations SET status = 'queued', waits_for = 'reply', sent = true, due_at = deadline,
                    claim = claim + 1""" + HELD + QUEUED;

    /** What is in the queue was not run: the queue says when it is sent. */
    private static final String AWAIT_CAPACITY = """
            WITH waiting AS (
                UPDATE delegations SET status = 'queued', waits_for = 'capacity', sent = false, due_at = deadline,
                    result_status = 'queued', result_at = greatest(now(), created_at + interval '1 microsecond'),
                    touched_at = now(), claim = claim + 1""" + HELD + QUEUED;

    private final PgDelegationLog log;
    private final PgQueueEntries queue;

    /** @param queue where what meets a busy target waits, written in one transaction with the delegation */
    public PgWorkStore(PgDelegationLog log, PgQueueEntries queue) {
        super(log.database(), "delegations");
        this.log = log;
        this.queue = queue;
    }

    @Override
    public Future<List<Delegation>> claim(int max, Duration lease, Instant until) {
        return log.change((transaction, told) -> transaction
                .query(CLAIM, claiming(max, lease, until))
                .map(rows -> {
                    rows.stream()
                            .filter(row -> row.getBoolean("fresh"))
                            .map(PgDelegationLog::shown)
                            .forEach(one -> told.addAll(DelegationRows.of(one)));
                    return rows.stream().map(PgWorkStore::delegation).toList();
                }));
    }

    @Override
    public Future<Boolean> sending(Claim claim) {
        return step(SENDING, Tuple.of(claim.id(), claim.claim()));
    }

    @Override
    public Future<Boolean> sendAgain(Claim claim, Duration pause, boolean counts) {
        return step(SEND_AGAIN, Tuple.of(claim.id(), claim.claim(), pause.toMillis(), counts ? 1 : 0));
    }

    @Override
    public Future<Boolean> lookUp(Claim claim, Duration pause, boolean counts) {
        return step(LOOK_UP, Tuple.of(claim.id(), claim.claim(), pause.toMillis(), counts ? 1 : 0));
    }

    @Override
    public Future<Boolean> awaitReply(Claim claim, ActivityRow message) {
        return log.change((transaction, told) -> waits(transaction, told, AWAIT_REPLY, claim)
                .map(held -> {
                    if (held) {
                        told.add(message);
                    }
                    return held;
                }));
    }

    @Override
    public Future<Boolean> awaitCapacity(Claim claim, DeferredMessage deferred, String delegationId) {
        return log.<Boolean>change((transaction, told) -> waits(transaction, told, AWAIT_CAPACITY, claim)
                        .compose(held -> held
                                ? queue.enqueue(transaction.client(), deferred, "message/send", delegationId)
                                        .map(kept -> kept.orElseThrow(QueueFull::new))
                                        .map(true)
                                : Future.succeededFuture(true))) // somebody else's by now
                .recover(failure ->
                        failure instanceof QueueFull ? Future.succeededFuture(false) : Future.failedFuture(failure));
    }

    /** Whether the claim was still held. */
    private static Future<Boolean> waits(Sql transaction, List<ActivityRow> told, String statement, Claim claim) {
        return PgDelegationLog.tell(transaction, told, statement, Tuple.of(claim.id(), claim.claim()))
                .map(rows -> rows.size() > 0);
    }

    @Override
    public Future<Boolean> end(Claim claim, Outcome outcome) {
        return PgDelegationEnd.run(log, PgDelegationEnd.BY_CLAIM, outcome, claim.id(), claim.claim());
    }

    @Override
    public Future<Boolean> withdraw(Claim claim, Outcome undelivered, Outcome unknown) {
        return PgDelegationEnd.withdraw(log, queue, claim, undelivered, unknown);
    }

    @Override
    public Future<Boolean> answered(Claim claim, Outcome outcome) {
        return PgDelegationEnd.run(log, PgDelegationEnd.BY_ID, outcome, claim.id());
    }

    private static Delegation delegation(Row row) {
        return new Delegation(
                row.getUUID("id"),
                row.getLong("claim"),
                row.getString("delegation_id"),
                row.getUUID("source_id"),
                row.getUUID("target_id"),
                row.getString("task"),
                row.getBoolean("queued"),
                row.getBoolean("sent"),
                row.getInteger("tries"),
                row.getInteger("lookups"),
                row.getString("traceparent"),
                row.getString("passport"),
                row.getBoolean("unjudged"),
                row.getBoolean("waits"),
                Duration.ofMillis(row.getLong("left_millis")));
    }

    /** Rolls the transaction back. */
    private static final class QueueFull extends RuntimeException {
        private static final long serialVersionUID = 1;

        QueueFull() {
            super("queue full", null, false, false);
        }
    }
}
