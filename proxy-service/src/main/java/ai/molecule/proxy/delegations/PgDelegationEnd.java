package ai.molecule.proxy.delegations;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.db.Sql;
import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.queue.PgQueueEntries;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The only statement that ends a delegation: the row, its outcome and its event together. What waited for its target's capacity is
 * taken out of the queue in the same transaction.
 */
final class PgDelegationEnd {

    private static final int PREVIEW_MAX = 200;

    /**
     * Safe under races because the row is locked before it is judged: one that ended meanwhile is not chosen any more, so of two
     * endings the first stays and one event tells it. Chosen by parameters from 9 on. One that is being written, perhaps to say that it
     * waits for this very reply, is waited for and judged again.
     */
    private static final String END = """
            WITH chosen AS (
                SELECT id, coalesce(waits_for = 'capacity', false) AS waited FROM delegations
                WHERE status NOT IN ('completed', 'failed') AND %s
                ORDER BY created_at LIMIT 1 FOR UPDATE
            ), ended AS (
                UPDATE delegations AS delegation
                SET status = $1::text, result_status = CASE WHEN $2::boolean THEN $1::text ELSE result_status END,
                    result_text = $3::text, error = $4::text, outcome_unknown = $5::boolean, due_at = NULL,
                    waits_for = NULL, claim = claim + 1, touched_at = now(),%s
                    result_at = coalesce(result_at, greatest(now(), created_at + interval '1 microsecond'))
                FROM chosen WHERE delegation.id = chosen.id
                RETURNING delegation.*, chosen.waited
            )
            SELECT COLUMNS, waited, log.append($6::text, source_id, jsonb_strip_nulls(jsonb_build_object(
                'delegation_id', delegation_id, 'target_id', target_id, 'response_preview', $7::text, 'error', $4::text,
                'outcome', CASE WHEN $5::boolean THEN 'unknown' END, 'via', $8::text))) FROM ended
            """.replace("COLUMNS", PgDelegationLog.COLUMNS);

    static final String BY_CLAIM = END.formatted("id = $9 AND claim = $10", "");
    static final String BY_ID = END.formatted("id = $9", "");
    static final String BY_NAME = END.formatted("delegation_id = $9 AND (source_id = $10 OR target_id = $10)", "");
    static final String OF_TASK = END.formatted("target_id = $9 AND task_id = $10 AND run_by = 'platform'", "");
    static final String OF_SOURCE = END.formatted("delegation_id = $9 AND source_id = $10", "");

    /**
     * Only what the platform carries out: an agent that follows its own delegations hears its replies itself. Fails with a unique
     * violation when the same message has answered one already.
     */
    static final String BY_REPLY = END.formatted("""
            status IN ('dispatched', 'queued') AND run_by = 'platform' AND target_id = $9 AND source_id = $10
                AND ($11::text IS NULL OR delegation_id = $11)""", " answered_by = $12::text,");

    /**
     * Of replies that name no delegation one at a time is judged, or each would hold what another answered while it waits for the next.
     * The number tells these locks from others of this schema.
     */
    private static final String IN_TURN =
            "SELECT pg_advisory_xact_lock(73121, hashtext($1::uuid::text || $2::uuid::text))";

    private PgDelegationEnd() {}

    /** Ends what cannot be waiting in the queue; answers whether there was such a delegation. */
    static Future<Boolean> run(PgDelegationLog log, String statement, Outcome outcome, @Nullable Object... choice) {
        return log.change((transaction, told) ->
                execute(transaction, told, statement, outcome, choice).map(Optional::isPresent));
    }

    /** As {@link #run}. The queue is looked at by a statement of its own, which sees what came there while the row was waited for. */
    static Future<Boolean> withdraw(
            Sql transaction,
            List<ActivityRow> told,
            PgQueueEntries queue,
            String statement,
            Outcome outcome,
            @Nullable Object... choice) {
        return execute(transaction, told, statement, outcome, choice)
                .compose(ended -> ended.isEmpty()
                        ? Future.succeededFuture(false)
                        : withdrawn(transaction, queue, ended.get()).map(true));
    }

    /** As {@link #withdraw} with {@link #BY_REPLY}. */
    static Future<Boolean> reply(
            PgDelegationLog log,
            PgQueueEntries queue,
            Outcome outcome,
            UUID from,
            UUID to,
            @Nullable String delegationId,
            @Nullable String messageKey) {
        return log.change((transaction, told) -> (delegationId == null
                        ? transaction.query(IN_TURN, Tuple.of(from, to))
                        : Future.succeededFuture())
                .compose(turn ->
                        withdraw(transaction, told, queue, BY_REPLY, outcome, from, to, delegationId, messageKey)));
    }

    /** As {@link #withdraw}, but for what is at its target, with {@code unknown} for an outcome. */
    static Future<Boolean> withdraw(
            PgDelegationLog log, PgQueueEntries queue, Claim claim, Outcome undelivered, Outcome unknown) {
        return log.<Boolean>change((transaction, told) -> execute(
                                transaction, told, BY_CLAIM, undelivered, claim.id(), claim.claim())
                        .compose(ended -> ended.isEmpty()
                                ? Future.succeededFuture(false)
                                : withdrawn(transaction, queue, ended.get())
                                        .compose(gone -> gone
                                                ? Future.succeededFuture(true)
                                                : Future.failedFuture(new AtItsTarget()))))
                .recover(failure -> failure instanceof AtItsTarget
                        ? run(log, BY_CLAIM, unknown, claim.id(), claim.claim())
                        : Future.failedFuture(failure));
    }

    private static Future<Boolean> withdrawn(Sql transaction, PgQueueEntries queue, Row ended) {
        return ended.getBoolean("waited")
                ? queue.withdraw(
                        transaction.client(),
                        ended.getUUID("target_id"),
                        ended.getUUID("source_id"),
                        ended.getString("delegation_id"))
                : Future.succeededFuture(true);
    }

    private static Future<Optional<Row>> execute(
            Sql transaction, List<ActivityRow> told, String statement, Outcome outcome, @Nullable Object... choice) {
        var parameters = Tuple.tuple()
                .addString(outcome.completed() ? "completed" : "failed")
                .addBoolean(outcome.listed())
                .addString(outcome.text())
                .addString(outcome.error())
                .addBoolean(outcome.unknown())
                .addString(outcome.completed() ? "DELEGATION_COMPLETE" : "DELEGATION_FAILED")
                .addString(outcome.text() == null ? null : Preview.of(outcome.text(), PREVIEW_MAX))
                .addString(outcome.via());
        for (var one : choice) {
            parameters.addValue(one);
        }
        return PgDelegationLog.tell(transaction, told, statement, parameters)
                .map(rows -> rows.stream().findFirst());
    }

    /** Rolls the transaction back. */
    private static final class AtItsTarget extends RuntimeException {
        private static final long serialVersionUID = 1;

        AtItsTarget() {
            super("at its target", null, false, false);
        }
    }
}
