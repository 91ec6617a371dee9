package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.ApprovalsChanged;
import ai.molecule.common.loops.LongPolls;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** One approval at a time, for whoever waits until it is decided. To be used on one event loop. */
public final class AwaitedApprovals {

    private final PgApprovalStore store;
    private final LongPolls polls;
    private boolean looking;
    private boolean again;

    public AwaitedApprovals(PgApprovalStore store, LongPolls polls, Bus bus) {
        this.store = store;
        this.polls = polls;
        bus.listen(ApprovalsChanged.HINT, hint -> look());
    }

    /**
     * The approval as it stands; where it is pending, as it stands once it has ended or {@code longest} is over. Fails with NOT_FOUND for
     * one that is not this workspace's.
     *
     * @param gone completes when the client went away, so that nobody waits for it any longer
     */
    Future<Approval.Whole> get(UUID workspaceId, UUID id, Duration longest, Future<?> gone) {
        if (!longest.isPositive() || gone.isComplete() || !polls.hasRoom(id)) {
            return get(workspaceId, id);
        }
        var end = polls.next(id, longest); // before reading: an end in between is not missed
        gone.onComplete(went -> end.tryComplete());
        return get(workspaceId, id).onFailure(failure -> end.tryComplete()).compose(approval -> {
            if (approval.approval().isPending()) {
                return end.future().compose(ended -> get(workspaceId, id));
            }
            end.tryComplete();
            return Future.succeededFuture(approval);
        });
    }

    /** Whoever waits is answered with what there is, and nobody waits any more. */
    public void close() {
        polls.close();
    }

    private Future<Approval.Whole> get(UUID workspaceId, UUID id) {
        return store.find(workspaceId, id).map(AwaitedApprovals::known);
    }

    private static Approval.Whole known(Optional<Approval.Whole> found) {
        return found.orElseThrow(AwaitedApprovals::unknown);
    }

    static ApiError unknown() {
        return ApiError.notFound("approval not found");
    }

    /** One statement for all who wait, one at a time. Where it fails they wait until their time is over. */
    private void look() {
        var awaited = polls.awaited();
        if (looking || awaited.isEmpty()) {
            again = looking;
            return;
        }
        looking = true;
        store.ended(awaited).onSuccess(polls::announce).onComplete(looked -> {
            looking = false;
            if (again) {
                again = false;
                look();
            }
        });
    }
}
