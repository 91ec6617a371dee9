package ai.molecule.registry.approvals;

import ai.molecule.common.bus.registry.TaskApprovals;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What {@link ApprovalService} needs from persistence. */
public interface ApprovalStore {

    /** How a request ended. */
    record Settled(UUID id, UUID workspaceId, String taskId, String status, String decidedBy, String decidedWith) {}

    /** Part of the pending ones, oldest first: what follows {@code after}, or what comes directly before {@code before}. */
    record Page(@Nullable UUID after, @Nullable UUID before, int limit) {}

    /**
     * Stores and tells it, to the parent too; fails with NOT_FOUND for an unknown or removed workspace and RATE_LIMITED for one with
     * {@code pendingMax} pending ones.
     */
    Future<Void> insert(UUID workspaceId, NewApproval asked, Instant expiresAt, int pendingMax, Instant now);

    /** The newest of one workspace, newest first. */
    Future<List<Approval>> list(UUID workspaceId, int limit);

    /** Pending ones of all workspaces that are not removed; fails with GONE for a cursor that is none (any more). */
    Future<List<Approval.Pending>> pending(Page page, Instant now);

    /** Pending ones of workspaces that are not removed that name a task, in id order. */
    Future<List<TaskApprovals.One>> ofTasks(@Nullable UUID after, int limit, Instant now);

    /** Decides, and tells it unless it can be taken back; false when this workspace has no such undecided one. */
    Future<Boolean> decide(UUID workspaceId, UUID id, Decision decision, Instant now);

    /** Takes a decision back that has not taken effect; false when there is none. */
    Future<Boolean> retract(UUID workspaceId, UUID id, Instant now);

    /** Has decisions take effect whose grace is over, denies what expired, and tells both; at most {@code max}. Completes with how many. */
    Future<Integer> settle(int max, Instant now);
}
