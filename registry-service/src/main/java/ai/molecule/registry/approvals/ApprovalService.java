package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** The rules about approvals. */
public final class ApprovalService {

    private static final int LISTED_MAX = 50;

    /** A request older than this is denied when the pending ones are looked at. */
    private static final Duration PENDING_AGE_MAX = Duration.ofMinutes(10);

    private final ApprovalStore store;
    private final Clock clock;

    public ApprovalService(ApprovalStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    Future<Void> request(UUID workspaceId, NewApproval asked) {
        return store.insert(workspaceId, asked, clock.instant());
    }

    Future<List<Approval>> list(UUID workspaceId) {
        return store.list(workspaceId, LISTED_MAX);
    }

    Future<List<Approval.Pending>> pending() {
        var now = clock.instant();
        var oldest = now.minus(PENDING_AGE_MAX);
        return store.expire(oldest, now).compose(expired -> store.pending(oldest, LISTED_MAX));
    }

    /** Fails with NOT_FOUND when it is decided already, or not this workspace's. */
    Future<Void> decide(UUID workspaceId, UUID id, Decision decision) {
        return store.decide(workspaceId, id, decision, clock.instant())
                .compose(decided -> decided ? Future.succeededFuture() : Future.failedFuture(unknown()));
    }

    static ApiError unknown() {
        return ApiError.notFound("approval not found or already decided");
    }
}
