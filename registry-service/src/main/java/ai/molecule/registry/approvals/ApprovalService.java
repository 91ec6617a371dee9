package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.TaskApprovals;
import ai.molecule.registry.approvals.PgApprovalStore.Page;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The rules about approvals. Looking at them decides nothing.
 *
 * @param pendingMax of one workspace at a time, so that one that asks much does not hide what others ask
 * @param changed told when one was asked for or ended
 */
public record ApprovalService(PgApprovalStore store, int pendingMax, Clock clock, Runnable changed) {

    private static final int LISTED_MAX = 50;
    private static final int SETTLED_AT_ONCE_MAX = 200;

    Future<Void> request(UUID workspaceId, NewApproval asked) {
        var now = clock.instant();
        return store.insert(workspaceId, asked, asked.expiry(now), pendingMax, now)
                .onSuccess(stored -> changed.run());
    }

    Future<List<Approval>> list(UUID workspaceId) {
        return store.list(workspaceId, LISTED_MAX);
    }

    /** @param within only of these and of what is below them; null for all */
    Future<List<Approval.Pending>> pending(Page page, @Nullable List<UUID> within) {
        return store.pending(page, within, clock.instant());
    }

    /**
     * Fails with NOT_FOUND when it is decided already, or not this workspace's, and with CONFLICT when it is not what was shown; completes
     * with when it takes effect.
     */
    public Future<Instant> decide(UUID workspaceId, UUID id, Decision decision) {
        var now = clock.instant();
        return store.decide(workspaceId, id, decision, now)
                .onSuccess(decided -> changed.run())
                .compose(decided ->
                        decided ? Future.succeededFuture(now.plus(decision.grace())) : Future.failedFuture(unknown()));
    }

    /** Fails with NOT_FOUND when there is no decision that can be taken back. */
    Future<Void> retract(UUID workspaceId, UUID id) {
        return store.retract(workspaceId, id, clock.instant())
                .compose(retracted -> retracted ? Future.succeededFuture() : Future.failedFuture(unknown()));
    }

    /** To be run every second on every replica. */
    public Future<Integer> settle() {
        return store.settle(SETTLED_AT_ONCE_MAX, clock.instant()).onSuccess(settled -> {
            if (settled > 0) {
                changed.run();
            }
        });
    }

    /** Serves {@link TaskApprovals}. */
    public Future<TaskApprovals.Page> ofTasks(TaskApprovals question) {
        int limit = Math.clamp(question.limit(), 1, TaskApprovals.LIMIT_MAX);
        return store.ofTasks(question.after(), limit, clock.instant()).map(TaskApprovals.Page::new);
    }

    public static ApiError unknown() {
        return ApiError.notFound("approval not found or already decided");
    }
}
