package ai.molecule.proxy.delegations;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.activity.RowIds;
import ai.molecule.proxy.delegations.DelegationService.Accepted;
import ai.molecule.proxy.queue.PgQueueEntries;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Delegations as those who give them and those who get them see them, on the table {@code delegations} (db/proxy/V001__delegations.sql).
 * Every change tells its event in the same transaction.
 */
public final class PgDelegationStore {

    private static final int TASK_PREVIEW_MAX = 100;

    /** Tries of one delegation: its key may become free between two statements, but hardly more often than this. */
    private static final int ACCEPTS_MAX = 3;

    /** Safe under races because the unique index decides who is first with a key; only the first appends an event. */
    private static final String ACCEPT = """
            WITH accepted AS (
                INSERT INTO delegations (id, result_id, delegation_id, source_id, target_id, task, idempotency_key, run_by,
                    status, due_at, deadline, traceparent, work_id, limit_usd, passport, unjudged)
                VALUES ($1, $2, $3, $4, $5, $6, $7, 'platform', 'pending', now(), now() + $8::bigint * interval '1 ms', $10,
                    work_of($4, split_part($10, '-', 2)), $11, $12, $13)
                ON CONFLICT (source_id, target_id, idempotency_key)
                    WHERE idempotency_key IS NOT NULL AND status <> 'failed' DO NOTHING
                RETURNING *
            )
            SELECT %s, log.append('DELEGATION_SENT', source_id, $9::text::jsonb) FROM accepted
            """.formatted(PgDelegationLog.COLUMNS);

    private static final String OF_KEY = """
            SELECT delegation_id, status, task = $4 AS same FROM delegations
            WHERE source_id = $1 AND target_id = $2 AND idempotency_key = $3 AND status <> 'failed'
            """;

    /** Of two that set it at once the later counts. */
    private static final String LIMIT =
            "UPDATE delegations SET limit_usd = $3 WHERE source_id = $1 AND delegation_id = $2";

    /** Nobody carries it out here, so it is never due. */
    private static final String RECORD = """
            WITH recorded AS (
                INSERT INTO delegations (id, result_id, delegation_id, source_id, target_id, task, run_by, status, deadline, work_id)
                VALUES ($1, $2, $3, $4, $5, $6, 'agent', 'dispatched', now(), work_of($4, NULL))
                ON CONFLICT (source_id, delegation_id) DO NOTHING
                RETURNING *
            )
            SELECT %s, log.append('DELEGATION_SENT', source_id, $7::text::jsonb) FROM recorded
            """.formatted(PgDelegationLog.COLUMNS);

    /** For an outcome of something never recorded; to be ended at once. */
    private static final String NOTE = """
            INSERT INTO delegations (id, result_id, delegation_id, source_id, task, run_by, status, deadline)
            SELECT $1, $2, $3::text, $4::uuid, '', 'agent', 'dispatched', now()
            WHERE NOT EXISTS (SELECT 1 FROM delegations
                WHERE delegation_id = $3::text AND (source_id = $4::uuid OR target_id = $4::uuid))
            ON CONFLICT (source_id, delegation_id) DO NOTHING
            """;

    private static final String FAILED = """
            SELECT target_id, task, traceparent, limit_usd, passport, status = 'failed' AS failed FROM delegations
            WHERE source_id = $1 AND delegation_id = $2 AND target_id IS NOT NULL
            """;

    private static final String DELIVERED = """
            UPDATE delegations SET waits_for = NULL, sent = true, due_at = now(), claim = claim + 1
            WHERE source_id = $1 AND delegation_id = $2 AND run_by = 'platform' AND status = 'queued' AND waits_for = 'capacity'
            """;

    private static final String LIST = """
            SELECT id, result_id, delegation_id, source_id, target_id, '' AS task, status, result_status,
                left(result_text, $3) AS result_text, error, outcome_unknown, created_at, result_at
            FROM delegations WHERE source_id = $1 ORDER BY touched_at DESC LIMIT $2
            """;

    private static final String ONE = """
            SELECT d.id, result_id, delegation_id, source_id, target_id, '' AS task, status, result_status, result_text, error,
                outcome_unknown, created_at, result_at, task_id, touched_at, EXISTS (SELECT 1 FROM waits
                    WHERE waits.workspace_id = d.target_id AND waits.task_id = d.task_id AND waits.cause = 'input') AS asks
            FROM delegations AS d WHERE source_id = $1 AND delegation_id = $2
            """;

    /** What nobody has to look at any more, but that of a piece of work: it is kept with that, and then of none. */
    static final String PRUNE = """
            DELETE FROM delegations WHERE id IN (SELECT id FROM delegations
                WHERE created_at < now() - $1::bigint * interval '1 ms' AND work_id IS NULL AND due_at IS NULL
                ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED)
            """;

    private final PgDelegationLog log;
    private final PgQueueEntries queue;
    private final RowIds ids;

    /** @param queue where delegations wait for busy targets */
    public PgDelegationStore(PgDelegationLog log, PgQueueEntries queue, RowIds ids) {
        this.log = log;
        this.queue = queue;
        this.ids = ids;
    }

    /** The first of a key is kept; fails with CONFLICT when a key comes with another task. Committed when it completes. */
    Future<Accepted> accept(NewDelegation wanted, String delegationId, Duration deadline) {
        return accept(wanted, delegationId, deadline, 1);
    }

    private Future<Accepted> accept(NewDelegation wanted, String delegationId, Duration deadline, int nth) {
        var parameters = Tuple.tuple()
                .addUUID(ids.next())
                .addUUID(ids.next())
                .addString(delegationId)
                .addUUID(wanted.source())
                .addUUID(wanted.target())
                .addString(wanted.task())
                .addString(wanted.key())
                .addLong(deadline.toMillis())
                .addString(sent(delegationId, wanted.target(), wanted.task()))
                .addString(wanted.traceparent())
                .addBigDecimal(wanted.limit())
                .addString(wanted.passport())
                .addBoolean(wanted.unjudged());
        return begin(ACCEPT, parameters)
                .compose(begun -> begun
                        ? Future.succeededFuture(new Accepted(delegationId, "delegated", false))
                        : ofKey(wanted, delegationId, deadline, nth));
    }

    /** False for one that there is not. */
    Future<Boolean> limit(UUID source, String delegationId, @Nullable BigDecimal dollars) {
        return log.database()
                .query(
                        LIMIT,
                        Tuple.tuple().addUUID(source).addString(delegationId).addBigDecimal(dollars))
                .map(rows -> rows.rowCount() > 0);
    }

    /** As it is given once more. */
    Future<NewDelegation> failed(UUID source, String delegationId) {
        return log.database().query(FAILED, Tuple.of(source, delegationId)).map(rows -> {
            var row = rows.stream().findFirst().orElseThrow(() -> ApiError.notFound("delegation not found"));
            if (!row.getBoolean("failed")) {
                throw ApiError.conflict("it has not failed");
            }
            return NewDelegation.again(
                    source,
                    row.getUUID("target_id"),
                    row.getString("task"),
                    delegationId,
                    row.getString("traceparent"),
                    row.getBigDecimal("limit_usd"),
                    row.getString("passport"));
        });
    }

    private Future<Accepted> ofKey(NewDelegation wanted, String delegationId, Duration deadline, int nth) {
        return log.database()
                .query(OF_KEY, Tuple.of(wanted.source(), wanted.target(), wanted.key(), wanted.task()))
                .compose(rows -> {
                    if (rows.size() == 0 && nth < ACCEPTS_MAX) {
                        return accept(wanted, delegationId, deadline, nth + 1);
                    }
                    if (rows.size() == 0 || !rows.iterator().next().getBoolean("same")) {
                        return Future.failedFuture(ApiError.conflict("idempotency_key was used for another task"));
                    }
                    var first = rows.iterator().next();
                    return Future.succeededFuture(
                            new Accepted(first.getString("delegation_id"), first.getString("status"), true));
                });
    }

    /** Keeps the first of an id. */
    Future<Void> record(ReportedDelegation mirrored) {
        var parameters = Tuple.of(
                ids.next(), ids.next(), mirrored.delegationId(), mirrored.source(), mirrored.target(), mirrored.task());
        parameters.addString(sent(mirrored.delegationId(), mirrored.target(), mirrored.task()));
        return begin(RECORD, parameters).mapEmpty();
    }

    /** Whether it is a new one. */
    private Future<Boolean> begin(String statement, Tuple parameters) {
        return log.change((transaction, told) ->
                PgDelegationLog.tell(transaction, told, statement, parameters).map(rows -> rows.size() > 0));
    }

    /** The workspace is the delegation's source or target; what ended before stays so, and an unknown one is noted as the source's. */
    Future<Boolean> report(UUID workspace, String delegationId, Outcome outcome) {
        return log.change((transaction, told) -> PgDelegationEnd.withdraw(
                        transaction, told, queue, PgDelegationEnd.BY_NAME, outcome, delegationId, workspace)
                .compose(ended -> ended
                        ? Future.succeededFuture(true)
                        : transaction
                                .query(NOTE, Tuple.of(ids.next(), ids.next(), delegationId, workspace))
                                .compose(noted -> noted.rowCount() == 0
                                        ? Future.succeededFuture(false)
                                        : PgDelegationEnd.withdraw(
                                                transaction,
                                                told,
                                                queue,
                                                PgDelegationEnd.OF_SOURCE,
                                                outcome,
                                                delegationId,
                                                workspace))));
    }

    /** What the target's task came to, told in another call than the delegation's own. */
    Future<Boolean> endTask(UUID target, String taskId, Outcome outcome) {
        return PgDelegationEnd.run(log, PgDelegationEnd.OF_TASK, outcome, target, taskId);
    }

    /** A delegation that was in its target's queue and is at it now, where a person is asked. */
    Future<Void> delivered(UUID source, String delegationId) {
        return log.database().run(DELIVERED, Tuple.of(source, delegationId));
    }

    /** An answer that came another way. */
    Future<Boolean> stitch(UUID source, String delegationId, Outcome outcome) {
        return PgDelegationEnd.run(log, PgDelegationEnd.OF_SOURCE, outcome, delegationId, source);
    }

    /**
     * What {@code from} was asked by {@code to} and has not answered: the one of that id, or the oldest. A message that is sent
     * again answers no second one.
     *
     * @param messageId of the reply; null when it has none
     * @param delegationId null when the reply names none
     */
    Future<Boolean> reply(
            UUID from, UUID to, @Nullable String messageId, @Nullable String delegationId, Outcome outcome) {
        String message = messageId == null ? null : HexFormat.of().formatHex(Tokens.hash(messageId));
        return PgDelegationEnd.reply(log, queue, outcome, from, to, delegationId, message)
                .recover(failure -> Postgres.isUniqueViolation(failure) // the same message, sent again
                        ? Future.succeededFuture(true)
                        : Future.failedFuture(failure));
    }

    /** The source's one of that id, its outcome whole. */
    Future<Optional<ObjectNode>> find(UUID source, String delegationId) {
        return log.database()
                .list(
                        ONE,
                        Tuple.of(source, delegationId),
                        row -> DelegationList.whole(
                                PgDelegationLog.shown(row),
                                row.getOffsetDateTime("touched_at").toInstant(),
                                row.getString("task_id"),
                                row.getBoolean("asks")))
                .map(found -> found.stream().findFirst());
    }

    /** The source's latest, enough for {@link DelegationList#ENTRIES_MAX} entries; tasks are left out and texts cut. */
    Future<List<DelegationView>> list(UUID source) {
        return log.database()
                .list(
                        LIST,
                        Tuple.of(source, DelegationList.ENTRIES_MAX, DelegationList.PREVIEW_MAX + 1),
                        PgDelegationLog::shown);
    }

    /** Forgets delegations older than {@code age} that need nothing any more; at most {@code max}. */
    Future<Integer> prune(Duration age, int max) {
        return log.database().update(PRUNE, Tuple.of(age.toMillis(), max));
    }

    private static String sent(String delegationId, UUID target, String task) {
        return Json.text(Json.object()
                .put("delegation_id", delegationId)
                .put("target_id", target.toString())
                .put("task_preview", Preview.of(task, TASK_PREVIEW_MAX)));
    }
}
