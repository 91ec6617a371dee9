package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import ai.molecule.registry.lifecycle.RecordedEvent;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@link ApprovalStore} on the table {@code approvals}, with its events in the same transaction. */
public final class PgApprovalStore implements ApprovalStore {

    /** The row's lock makes a racing removal or move wait, and makes the count below hold. */
    private static final String ASKING = """
            SELECT parent_id FROM workspaces WHERE id = $1 AND status <> 'removed' FOR NO KEY UPDATE
            """;

    /** Runs under that lock; nothing is stored where too many are pending. */
    private static final String INSERT = """
            INSERT INTO approvals (id, workspace_id, task_id, action, reason, context, created_at, expires_at)
            SELECT $1, $2, $3, $4, $5, $6::text::jsonb, $7, $8
            WHERE (SELECT count(*) FROM approvals WHERE workspace_id = $2 AND status = 'pending' AND expires_at > $7) < $9
            """;

    private static final String COLUMNS = """
            SELECT a.id, a.task_id, a.action, a.reason, a.status, a.decision, a.decided_by, a.decided_with, a.decided_at,
                   a.takes_effect_at, a.created_at, a.expires_at
            """;

    private static final String LIST = COLUMNS + """
            FROM approvals AS a WHERE a.workspace_id = $1
            ORDER BY a.created_at DESC, a.id
            LIMIT $2
            """;

    private static final String CURSOR = "SELECT created_at FROM approvals WHERE id = $1";

    /** The times of the cursors are parameters, so that the index is entered at the right place. */
    private static final String PENDING = COLUMNS + """
                , w.id AS workspace_id, w.name AS workspace_name, a.context::text AS context
            FROM approvals AS a JOIN workspaces AS w ON w.id = a.workspace_id
            WHERE a.status = 'pending' AND a.expires_at > $1 AND w.status <> 'removed'
              AND ($2::timestamptz IS NULL OR (a.created_at, a.id) > ($2, $3::uuid))
              AND ($4::timestamptz IS NULL OR (a.created_at, a.id) < ($4, $5::uuid))
            """;

    private static final String FORWARD = PENDING + "ORDER BY a.created_at, a.id LIMIT $6";

    private static final String BACKWARD = PENDING + "ORDER BY a.created_at DESC, a.id DESC LIMIT $6";

    private static final String OF_TASKS = """
            SELECT a.id, a.workspace_id, left(a.task_id, 256) AS task_id, a.created_at
            FROM approvals AS a JOIN workspaces AS w ON w.id = a.workspace_id
            WHERE a.status = 'pending' AND a.task_id <> '' AND a.expires_at > $1 AND w.status <> 'removed'
              AND ($2::uuid IS NULL OR a.id > $2)
            ORDER BY a.id LIMIT $3
            """;

    /** Of two racing decisions one finds the row still undecided. */
    private static final String DECIDE = """
            UPDATE approvals
            SET status = CASE WHEN $6::timestamptz IS NULL THEN $3 ELSE status END, decision = $3, decided_by = $4,
                decided_with = $5, takes_effect_at = $6,
                decided_at = CASE WHEN $6::timestamptz IS NULL THEN $7::timestamptz END
            WHERE id = $1 AND workspace_id = $2 AND status = 'pending' AND decision IS NULL AND expires_at > $7
            RETURNING task_id
            """;

    private static final String RETRACT = """
            UPDATE approvals SET decision = NULL, decided_by = NULL, decided_with = NULL, takes_effect_at = NULL
            WHERE id = $1 AND workspace_id = $2 AND status = 'pending' AND takes_effect_at > $3
            """;

    /** What somebody is just deciding or settling is left to them. */
    private static final String SETTLE = """
            UPDATE approvals
            SET status = coalesce(decision, 'denied'), decided_by = coalesce(decided_by, $3),
                decided_with = coalesce(decided_with, $4), decided_at = $1
            WHERE id IN (
                SELECT id FROM approvals WHERE status = 'pending' AND coalesce(takes_effect_at, expires_at) <= $1
                ORDER BY coalesce(takes_effect_at, expires_at) LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
            )
            RETURNING id, workspace_id, task_id, status, decided_by, decided_with
            """;

    private final Pool pool;
    private final EventLog log;

    public PgApprovalStore(Pool pool, EventLog log) {
        this.pool = pool;
        this.log = log;
    }

    @Override
    public Future<Void> insert(UUID workspaceId, NewApproval asked, Instant expiresAt, int pendingMax, Instant now) {
        var parameters = Tuple.of(asked.id(), workspaceId, asked.taskId(), asked.action(), asked.reason())
                .addString(asked.context() == null ? null : Json.text(asked.context()))
                .addValue(PgValues.time(now))
                .addValue(PgValues.time(expiresAt))
                .addValue(pendingMax);
        return pool.withTransaction(transaction -> transaction
                        .preparedQuery(ASKING)
                        .execute(Tuple.of(workspaceId))
                        .map(rows ->
                                rows.stream().findFirst().orElseThrow(() -> ApiError.notFound("workspace not found")))
                        .compose(asking -> transaction
                                .preparedQuery(INSERT)
                                .execute(parameters)
                                .compose(done -> done.rowCount() > 0
                                        ? append(transaction, workspaceId, ApprovalEvents.requested(asked))
                                        : Future.failedFuture(tooMany(pendingMax)))
                                .compose(told ->
                                        escalate(transaction, asking.getUUID("parent_id"), workspaceId, asked))))
                .onSuccess(stored -> log.committed());
    }

    @Override
    public Future<List<Approval>> list(UUID workspaceId, int limit) {
        return pool.preparedQuery(LIST)
                .execute(Tuple.of(workspaceId, limit))
                .map(rows -> rows.stream().map(PgApprovalStore::toApproval).toList());
    }

    @Override
    public Future<List<Approval.Pending>> pending(Page page, Instant now) {
        boolean backward = page.after() == null && page.before() != null;
        return Future.all(timeOf(page.after()), timeOf(page.before()))
                .compose(times -> pool.preparedQuery(backward ? BACKWARD : FORWARD)
                        .execute(Tuple.tuple()
                                .addValue(PgValues.time(now))
                                .addValue(times.resultAt(0))
                                .addValue(page.after())
                                .addValue(times.resultAt(1))
                                .addValue(page.before())
                                .addValue(page.limit())))
                .map(rows -> rows.stream().map(PgApprovalStore::toPending).toList())
                .map(found -> backward ? found.reversed() : found);
    }

    @Override
    public Future<List<TaskApprovals.One>> ofTasks(@Nullable UUID after, int limit, Instant now) {
        return pool.preparedQuery(OF_TASKS)
                .execute(Tuple.of(PgValues.time(now), after, limit))
                .map(rows -> rows.stream()
                        .map(row -> new TaskApprovals.One(
                                row.getUUID("id"),
                                row.getUUID("workspace_id"),
                                row.getString("task_id"),
                                Objects.requireNonNull(PgValues.instant(row, "created_at"))))
                        .toList());
    }

    @Override
    public Future<Boolean> decide(UUID workspaceId, UUID id, Decision decision, Instant now) {
        boolean atOnce = decision.grace().isZero();
        return pool.withTransaction(transaction -> transaction
                        .preparedQuery(DECIDE)
                        .execute(Tuple.of(id, workspaceId, decision.status(), decision.decidedBy())
                                .addValue(decision.decidedWith())
                                .addValue(atOnce ? null : PgValues.time(now.plus(decision.grace())))
                                .addValue(PgValues.time(now)))
                        .compose(done -> done.rowCount() == 0 || !atOnce
                                ? Future.succeededFuture(done.rowCount() > 0)
                                : tell(transaction, settled(workspaceId, id, done, decision))
                                        .map(true)))
                .onSuccess(decided -> log.committed());
    }

    @Override
    public Future<Boolean> retract(UUID workspaceId, UUID id, Instant now) {
        return pool.preparedQuery(RETRACT)
                .execute(Tuple.of(id, workspaceId, PgValues.time(now)))
                .map(done -> done.rowCount() > 0);
    }

    @Override
    public Future<Integer> settle(int max, Instant now) {
        return pool.withTransaction(transaction -> transaction
                        .preparedQuery(SETTLE)
                        .execute(Tuple.of(PgValues.time(now), max, Decision.EXPIRED_BY, Decision.EXPIRED_WITH))
                        .map(rows ->
                                rows.stream().map(PgApprovalStore::toSettled).toList())
                        .compose(settled -> {
                            Future<Void> all = Future.succeededFuture();
                            for (var one : settled) {
                                all = all.compose(before -> tell(transaction, one));
                            }
                            return all.map(settled.size());
                        }))
                .onSuccess(settled -> {
                    if (settled > 0) {
                        log.committed();
                    }
                });
    }

    /** Null without a cursor. */
    private Future<@Nullable OffsetDateTime> timeOf(@Nullable UUID cursor) {
        return cursor == null
                ? Future.succeededFuture()
                : pool.preparedQuery(CURSOR)
                        .execute(Tuple.of(cursor))
                        .map(rows -> rows.stream()
                                .findFirst()
                                .map(row -> row.getOffsetDateTime("created_at"))
                                .orElseThrow(() -> new ApiError(ApiError.Kind.GONE, "unknown cursor")));
    }

    private static ApiError tooMany(int pendingMax) {
        return new ApiError(
                ApiError.Kind.RATE_LIMITED, "maximum %d pending approvals per workspace".formatted(pendingMax));
    }

    private Future<Void> tell(SqlClient transaction, Settled settled) {
        return append(transaction, settled.workspaceId(), ApprovalEvents.decided(settled.id(), settled));
    }

    private Future<Void> escalate(SqlClient transaction, @Nullable UUID parentId, UUID workspaceId, NewApproval asked) {
        return parentId == null
                ? Future.succeededFuture()
                : append(transaction, parentId, ApprovalEvents.escalated(asked, workspaceId));
    }

    private Future<Void> append(SqlClient transaction, UUID workspaceId, List<RecordedEvent> events) {
        Future<Void> all = Future.succeededFuture();
        for (var event : events) {
            all = all.compose(before -> append(transaction, workspaceId, event));
        }
        return all;
    }

    private Future<Void> append(SqlClient transaction, UUID workspaceId, RecordedEvent event) {
        return log.append(transaction, event.type(), workspaceId, event.payload());
    }

    private static Settled settled(UUID workspaceId, UUID id, RowSet<Row> decided, Decision decision) {
        String taskId = decided.iterator().next().getString("task_id");
        return new Settled(id, workspaceId, taskId, decision.status(), decision.decidedBy(), decision.decidedWith());
    }

    private static Settled toSettled(Row row) {
        return new Settled(
                row.getUUID("id"),
                row.getUUID("workspace_id"),
                row.getString("task_id"),
                row.getString("status"),
                row.getString("decided_by"),
                row.getString("decided_with"));
    }

    private static Approval.Pending toPending(Row row) {
        return new Approval.Pending(
                row.getUUID("workspace_id"),
                row.getString("workspace_name"),
                row.getString("context"),
                toApproval(row));
    }

    private static Approval toApproval(Row row) {
        return new Approval(
                row.getUUID("id"),
                row.getString("task_id"),
                row.getString("action"),
                row.getString("reason"),
                row.getString("status"),
                row.getString("decision"),
                row.getString("decided_by"),
                row.getString("decided_with"),
                PgValues.instant(row, "decided_at"),
                PgValues.instant(row, "takes_effect_at"),
                Objects.requireNonNull(PgValues.instant(row, "created_at")),
                Objects.requireNonNull(PgValues.instant(row, "expires_at")));
    }
}
