package ai.molecule.registry.approvals;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** What {@link ApprovalService} needs from persistence. */
public interface ApprovalStore {

    /** Stores and tells it, to the parent too; fails with NOT_FOUND for an unknown or removed workspace. */
    Future<Void> insert(UUID workspaceId, NewApproval asked, Instant now);

    /** The newest of one workspace, newest first. */
    Future<List<Approval>> list(UUID workspaceId, int limit);

    /** Denies pending ones made before {@code madeBefore}, telling nobody; at most 1000 at once. */
    Future<Void> expire(Instant madeBefore, Instant now);

    /** The newest pending ones of all workspaces that are not removed, made since {@code madeSince}, newest first. */
    Future<List<Approval.Pending>> pending(Instant madeSince, int limit);

    /** Decides and tells it; false when this workspace has no such pending one. */
    Future<Boolean> decide(UUID workspaceId, UUID id, Decision decision, Instant now);
}
