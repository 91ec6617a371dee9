package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.db.SharedWindows;
import ai.molecule.common.redis.FixedWindow;
import ai.molecule.common.redis.RedisStore;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A further limit per client address for one route, also for requests that came through the front door, and answered like
 * {@link RateLimit}. Skipped while the development hatch is open.
 */
public final class ClientLimit {

    private final FixedWindow window;
    private final Edge edge;
    private final boolean unlimited;

    /**
     * @param others where there is no Redis
     * @param name tells its counters from others'
     */
    public ClientLimit(
            PlatformConfig config,
            RedisStore redis,
            @Nullable SharedWindows others,
            Clock clock,
            String name,
            int limit,
            Duration length) {
        this.window = new FixedWindow(redis, others, clock, "rate:" + name, limit, length);
        this.edge = new Edge(config);
        this.unlimited = config.hatchOpen();
    }

    /** Fails with RATE_LIMITED for a call too many. */
    public Future<Void> admit(RoutingContext ctx) {
        if (unlimited) {
            return Future.succeededFuture();
        }
        return window.count(edge.networkOf(ctx.request())).compose(count -> {
            RateLimit.tell(ctx, count);
            return count.exceeded()
                    ? Future.failedFuture(new ApiError(
                            ApiError.Kind.RATE_LIMITED,
                            "rate limit exceeded",
                            Map.of("retry_after", count.resetSeconds())))
                    : Future.succeededFuture();
        });
    }
}
