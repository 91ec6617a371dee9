package ai.molecule.events.activity;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.redis.FixedWindow;
import io.vertx.core.Future;
import java.util.Map;
import java.util.UUID;

/**
 * What a workspace may write about itself, by reports and notifications: so many a minute on all replicas together, whatever tokens
 * it has, and while its activity of the day has room. What others write about it is bounded by {@link ActivityLog#append}.
 *
 * @param unlimited where everybody is one person at one machine
 */
public record ActivityQuota(FixedWindow window, PgActivityStore store, boolean unlimited) {

    /** Fails with RATE_LIMITED for one too many, with INSUFFICIENT_STORAGE until the next day (UTC). */
    public Future<Void> admit(UUID workspaceId) {
        Future<Void> counted = unlimited ? Future.succeededFuture() : count(workspaceId);
        return counted.compose(admitted -> store.isFull(workspaceId)).map(full -> {
            if (full) {
                throw ActivityLog.full();
            }
            return null;
        });
    }

    private Future<Void> count(UUID workspaceId) {
        return window.count(workspaceId.toString()).map(count -> {
            if (count.exceeded()) {
                throw new ApiError(
                        ApiError.Kind.RATE_LIMITED, "rate limit exceeded", Map.of("retry_after", count.resetSeconds()));
            }
            return null;
        });
    }
}
