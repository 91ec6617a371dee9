package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import ai.molecule.registry.lifecycle.RecordedEvent;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@link ApprovalStore} on the table {@code approvals}, with its events in the same transaction. */
public final class PgApprovalStore implements ApprovalStore {

    private static final int EXPIRED_MAX = 1_000;

    /** Keys are fresh; the row's lock makes a racing removal or move wait. */
    private static final String INSERT = """
            WITH asking AS (
                SELECT id, parent_id FROM workspaces WHERE id = $2 AND status <> 'removed' FOR SHARE
            ), asked AS (
                INSERT INTO approvals (id, workspace_id, task_id, action, reason, context, created_at)
                SELECT $1, id, $3, $4, $5, $6::text::jsonb, $7 FROM asking
            )
            SELECT parent_id FROM asking
            """;

    private static final String LIST = """
            SELECT id, task_id, action, reason, status, decided_by, decided_at, created_at FROM approvals
            WHERE workspace_id = $1
            ORDER BY created_at DESC, id
            LIMIT $2
            """;

    /** One that is just being decided is left to its decision. */
    private static final String EXPIRE = """
            UPDATE approvals SET status = 'denied', decided_by = 'auto-expired', decided_at = $2
            WHERE id IN (
                SELECT id FROM approvals WHERE status = 'pending' AND created_at < $1
                ORDER BY created_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
            )
            """;

    private static final String PENDING = """
            SELECT a.id, a.task_id, a.action, a.reason, a.status, a.decided_by, a.decided_at, a.created_at,
                   w.id AS workspace_id, w.name AS workspace_name
            FROM approvals AS a JOIN workspaces AS w ON w.id = a.workspace_id
            WHERE a.status = 'pending' AND a.created_at >= $1 AND w.status <> 'removed'
            ORDER BY a.created_at DESC, a.id
            LIMIT $2
            """;

    /** Of two racing decisions one finds the row still pending. */
    private static final String DECIDE = """
            UPDATE approvals SET status = $3, decided_by = $4, decided_at = $5
            WHERE id = $1 AND workspace_id = $2 AND status = 'pending'
            """;

    private final Pool pool;
    private final EventLog log;

    public PgApprovalStore(Pool pool, EventLog log) {
        this.pool = pool;
        this.log = log;
    }

    @Override
    public Future<Void> insert(UUID workspaceId, NewApproval asked, Instant now) {
        return pool.withTransaction(transaction -> transaction
                        .preparedQuery(INSERT)
                        .execute(Tuple.of(asked.id(), workspaceId, asked.taskId(), asked.action(), asked.reason())
                                .addString(asked.context() == null ? null : Json.text(asked.context()))
                                .addValue(PgValues.time(now)))
                        .map(rows ->
                                rows.stream().findFirst().orElseThrow(() -> ApiError.notFound("workspace not found")))
                        .compose(row -> append(transaction, workspaceId, ApprovalEvents.requested(asked))
                                .compose(told -> escalate(transaction, row.getUUID("parent_id"), workspaceId, asked))))
                .onSuccess(stored -> log.committed());
    }

    @Override
    public Future<List<Approval>> list(UUID workspaceId, int limit) {
        return pool.preparedQuery(LIST)
                .execute(Tuple.of(workspaceId, limit))
                .map(rows -> rows.stream().map(PgApprovalStore::toApproval).toList());
    }

    @Override
    public Future<Void> expire(Instant madeBefore, Instant now) {
        return pool.preparedQuery(EXPIRE)
                .execute(Tuple.of(PgValues.time(madeBefore), PgValues.time(now), EXPIRED_MAX))
                .mapEmpty();
    }

    @Override
    public Future<List<Approval.Pending>> pending(Instant madeSince, int limit) {
        return pool.preparedQuery(PENDING)
                .execute(Tuple.of(PgValues.time(madeSince), limit))
                .map(rows -> rows.stream().map(PgApprovalStore::toPending).toList());
    }

    @Override
    public Future<Boolean> decide(UUID workspaceId, UUID id, Decision decision, Instant now) {
        return pool.withTransaction(transaction -> transaction
                        .preparedQuery(DECIDE)
                        .execute(Tuple.of(id, workspaceId, decision.status(), decision.decidedBy(), PgValues.time(now)))
                        .compose(done -> done.rowCount() == 0
                                ? Future.succeededFuture(false)
                                : append(transaction, workspaceId, ApprovalEvents.decided(id, decision))
                                        .map(true)))
                .onSuccess(decided -> log.committed());
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

    private static Approval.Pending toPending(Row row) {
        return new Approval.Pending(row.getUUID("workspace_id"), row.getString("workspace_name"), toApproval(row));
    }

    private static Approval toApproval(Row row) {
        return new Approval(
                row.getUUID("id"),
                row.getString("task_id"),
                row.getString("action"),
                row.getString("reason"),
                row.getString("status"),
                row.getString("decided_by"),
                PgValues.instant(row, "decided_at"),
                Objects.requireNonNull(PgValues.instant(row, "created_at")));
    }
}
