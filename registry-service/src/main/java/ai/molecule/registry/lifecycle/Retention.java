package ai.molecule.registry.lifecycle;

import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** Purges workspaces some time after they were removed, and deletes approvals long after they were decided. A reconciler: idempotent. */
public record Retention(PgRetentionStore store, Announcements announcements, Clock clock, RetentionDays days) {

    /** Each with up to all the memories and versions that a workspace keeps. */
    private static final int WORKSPACES_AT_ONCE = 20;

    private static final int APPROVALS_AT_ONCE = 1_000;

    /** Of one run; the next ones go on. */
    private static final int BATCHES_MAX = 50;

    /** What it did. */
    public Future<String> run() {
        return again(this::deleteApprovals, 1)
                .compose(approvals -> again(this::purgeRemoved, 1)
                        .map(workspaces -> "purged %d workspaces and %d approvals".formatted(workspaces, approvals)));
    }

    /** Until there is nothing left: above what one batch purged there may be more. */
    private static Future<Integer> again(Supplier<Future<Integer>> batch, int nth) {
        return batch.get()
                .compose(done -> done == 0 || nth == BATCHES_MAX
                        ? Future.succeededFuture(done)
                        : again(batch, nth + 1).map(more -> done + more));
    }

    private Future<Integer> purgeRemoved() {
        return days.removed() == 0
                ? Future.succeededFuture(0)
                : purgeRemoved(clock.instant().minus(Duration.ofDays(days.removed())))
                        .onSuccess(announcements::purged)
                        .map(List::size);
    }

    /** One by one where so many at once take longer than a statement may. */
    private Future<List<UUID>> purgeRemoved(Instant before) {
        return store.purgeRemoved(before, WORKSPACES_AT_ONCE).recover(failure -> store.purgeRemoved(before, 1));
    }

    private Future<Integer> deleteApprovals() {
        return store.deleteApprovals(clock.instant().minus(Duration.ofDays(days.approvals())), APPROVALS_AT_ONCE);
    }
}
