package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import ai.molecule.registry.lifecycle.PgRecordedEvents;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What was asked for, in the table {@code approvals}, with its events in the same transaction. */
public record PgApprovalStore(Database database) {

    /** Part of the pending ones, oldest first: what follows {@code after}, or what comes directly before {@code before}. */
    record Page(@Nullable UUID after, @Nullable UUID before, int limit) {}

    /** The row's lock makes a racing removal or move wait, and makes the count below hold. */
    private static final String ASKING = """
            SELECT parent_id FROM workspaces WHERE id = $1 AND status <> 'removed' FOR NO KEY UPDATE
            """;

    /** Runs under that lock; nothing is stored where too many are pending. */
    private static final String INSERT = """
            INSERT INTO approvals (id, workspace_id, task_id, action, reason, context, created_at, expires_at, passport_id, on_behalf_of,
                digest, asked_by, deciders, escalates_at, askers)
            SELECT $1, $2, $3, $4, $5, $6::text::jsonb, $7, $8, $10, $11, $12, $13, $14::text::jsonb, $15, $16::text[]
            WHERE (SELECT count(*) FROM approvals WHERE workspace_id = $2 AND status = 'pending' AND expires_at > $7) < $9
            """;

    private static final String LIST = PgApprovalRows.COLUMNS + """
            FROM approvals AS a WHERE a.workspace_id = $1
            ORDER BY a.created_at DESC, a.id
            LIMIT $2
            """;

    private static final String ENDED = "SELECT id FROM approvals WHERE id = ANY ($1) AND status <> 'pending'";

    private static final String CURSOR =
            "SELECT created_at FROM approvals AS a WHERE id = $1 AND " + PgApprovalRows.WITHIN.formatted("$2");

    /** The times of the cursors are parameters, so that the index is entered at the right place. */
    private static final String PENDING = PgApprovalRows.COLUMNS + """
                , w.id AS workspace_id, w.name AS workspace_name, a.context::text AS context
            FROM approvals AS a JOIN workspaces AS w ON w.id = a.workspace_id
            WHERE a.status = 'pending' AND a.expires_at > $1 AND w.status <> 'removed'
              AND ($2::timestamptz IS NULL OR (a.created_at, a.id) > ($2, $3::uuid))
              AND ($4::timestamptz IS NULL OR (a.created_at, a.id) < ($4, $5::uuid))
              AND\s
            """ + PgApprovalRows.WITHIN.formatted("$7");

    private static final String FORWARD = PENDING + " ORDER BY a.created_at, a.id LIMIT $6";

    private static final String BACKWARD = PENDING + " ORDER BY a.created_at DESC, a.id DESC LIMIT $6";

    private static final String OF_TASKS = """
            SELECT a.id, a.workspace_id, left(a.task_id, 256) AS task_id, a.created_at
            FROM approvals AS a JOIN workspaces AS w ON w.id = a.workspace_id
            WHERE a.status = 'pending' AND a.task_id <> '' AND a.expires_at > $1 AND w.status <> 'removed'
              AND ($2::uuid IS NULL OR a.id > $2)
            ORDER BY a.id LIMIT $3
            """;

    /**
     * Stores and tells it, to the parent too; fails with NOT_FOUND for an unknown or removed workspace and RATE_LIMITED for one with
     * {@code pendingMax} pending ones.
     */
    Future<Void> insert(UUID workspaceId, NewApproval asked, Instant expiresAt, int pendingMax, Instant now) {
        var behalf = asked.behalf();
        var required = asked.requirement();
        var escalatesAt = required == null ? null : required.escalatesAt(now);
        var parameters = Tuple.of(asked.id(), workspaceId, asked.taskId(), asked.action(), asked.reason())
                .addString(asked.context() == null ? null : Json.text(asked.context()))
                .addValue(PgValues.time(now))
                .addValue(PgValues.time(expiresAt))
                .addValue(pendingMax)
                .addUUID(behalf == null ? null : behalf.passportId())
                .addString(behalf == null ? null : behalf.principal())
                .addString(asked.digest())
                .addString(asked.askedBy())
                .addString(required == null ? null : Json.text(required.toJson()))
                .addValue(escalatesAt == null ? null : PgValues.time(escalatesAt))
                .addArrayOfString(asked.askers().toArray(String[]::new));
        return database.transaction(transaction -> transaction
                .find(ASKING, Tuple.of(workspaceId), row -> Optional.ofNullable(row.getUUID("parent_id")))
                .map(asking -> asking.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(parent -> transaction
                        .changes(INSERT, parameters)
                        .compose(stored -> stored
                                ? PgApprovalRows.tell(transaction, workspaceId, asked.id(), ApprovalEvents::requested)
                                : Future.failedFuture(tooMany(pendingMax)))
                        .compose(told -> escalate(transaction, parent.orElse(null), workspaceId, asked))));
    }

    /** The newest of one workspace, newest first. */
    Future<List<Approval>> list(UUID workspaceId, int limit) {
        return database.list(LIST, Tuple.of(workspaceId, limit), PgApprovalRows::toApproval);
    }

    /** Empty for one that is not this workspace's. */
    Future<Optional<Approval.Whole>> find(UUID workspaceId, UUID id) {
        return database.find(PgApprovalRows.FIND, Tuple.of(id, workspaceId), PgApprovalRows::toWhole);
    }

    /** Those of them that are not pending any more. */
    Future<List<UUID>> ended(Collection<UUID> ids) {
        return database.list(ENDED, Tuple.of((Object) ids.toArray(UUID[]::new)), row -> row.getUUID("id"));
    }

    /** Pending ones of all workspaces that are not removed; fails with GONE for a cursor that is none (any more). */
    Future<List<Approval.Pending>> pending(Page page, @Nullable List<UUID> within, Instant now) {
        UUID[] branches = within == null ? null : within.toArray(UUID[]::new);
        boolean backward = page.after() == null && page.before() != null;
        return Future.all(timeOf(page.after(), branches), timeOf(page.before(), branches))
                .compose(times -> database.list(
                        backward ? BACKWARD : FORWARD,
                        Tuple.tuple()
                                .addValue(PgValues.time(now))
                                .addValue(times.resultAt(0))
                                .addValue(page.after())
                                .addValue(times.resultAt(1))
                                .addValue(page.before())
                                .addValue(page.limit())
                                .addArrayOfUUID(branches),
                        PgApprovalStore::toPending))
                .map(found -> backward ? found.reversed() : found);
    }

    /** Pending ones of workspaces that are not removed that name a task, in id order. */
    Future<List<TaskApprovals.One>> ofTasks(@Nullable UUID after, int limit, Instant now) {
        return database.list(
                OF_TASKS,
                Tuple.of(PgValues.time(now), after, limit),
                row -> new TaskApprovals.One(
                        row.getUUID("id"),
                        row.getUUID("workspace_id"),
                        row.getString("task_id"),
                        Objects.requireNonNull(PgValues.instant(row, "created_at"))));
    }

    /** Null without a cursor. */
    private Future<@Nullable OffsetDateTime> timeOf(@Nullable UUID cursor, UUID @Nullable [] within) {
        return cursor == null
                ? Future.succeededFuture()
                : database.find(
                                CURSOR,
                                Tuple.tuple().addUUID(cursor).addArrayOfUUID(within),
                                row -> row.getOffsetDateTime("created_at"))
                        .map(time -> time.orElseThrow(() -> new ApiError(ApiError.Kind.GONE, "unknown cursor")));
    }

    private static ApiError tooMany(int pendingMax) {
        return new ApiError(
                ApiError.Kind.RATE_LIMITED, "maximum %d pending approvals per workspace".formatted(pendingMax));
    }

    private static Future<Void> escalate(
            Sql transaction, @Nullable UUID parentId, UUID workspaceId, NewApproval asked) {
        return parentId == null
                ? Future.succeededFuture()
                : PgRecordedEvents.append(transaction, parentId, List.of(ApprovalEvents.escalated(asked, workspaceId)));
    }

    private static Approval.Pending toPending(Row row) {
        return new Approval.Pending(
                row.getUUID("workspace_id"),
                row.getString("workspace_name"),
                row.getString("context"),
                PgApprovalRows.toApproval(row));
    }
}
