package ai.molecule.common.http;

import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.json.Json;
import ai.molecule.common.redis.FixedWindow;
import ai.molecule.common.redis.RedisStore;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;

/**
 * A fixed window of a minute per client address, counted in Redis so that replicas share it, and locally while Redis is away.
 * Heartbeats and activity reports with a bearer count per token instead: many agents may share one address. Requests that came
 * through the front door were counted there. Skipped while the development hatch is open.
 */
public final class RateLimit implements Handler<RoutingContext> {

    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final FixedWindow window;
    private final Edge edge;
    private final boolean unlimited;

    public RateLimit(PlatformConfig config, RedisStore redis, Edge edge, Clock clock) {
        this.window = new FixedWindow(redis, clock, "rate", config.rateLimitPerMinute(), WINDOW);
        this.edge = edge;
        this.unlimited = config.hatchOpen();
    }

    @Override
    public void handle(RoutingContext ctx) {
        if (unlimited) {
            ctx.response().putHeader("X-RateLimit-Limit", "unlimited");
            ctx.next();
            return;
        }
        if (edge.passed(ctx.request())) {
            ctx.next();
            return;
        }
        ctx.request().pause();
        window.count(keyOf(ctx)).onSuccess(count -> {
            ctx.request().resume();
            tell(ctx, count);
            if (count.exceeded()) {
                refuse(ctx, count.resetSeconds());
            } else {
                ctx.next();
            }
        });
    }

    /** The three headers that say where a client stands. */
    static void tell(RoutingContext ctx, FixedWindow.Count count) {
        ctx.response()
                .putHeader("X-RateLimit-Limit", String.valueOf(count.limit()))
                .putHeader("X-RateLimit-Remaining", String.valueOf(count.remaining()))
                .putHeader("X-RateLimit-Reset", String.valueOf(count.resetSeconds()));
    }

    private static void refuse(RoutingContext ctx, long resetSeconds) {
        var body = Json.object().put("error", "rate limit exceeded").put("retry_after", resetSeconds);
        ctx.response().putHeader("Retry-After", String.valueOf(resetSeconds));
        Answers.bytes(ctx, 429, Json.buffer(body));
    }

    private String keyOf(RoutingContext ctx) {
        String path = ctx.request().path();
        String bearer = Bearer.of(ctx.request());
        boolean perToken = path.equals("/registry/heartbeat") || path.endsWith("/activity");
        return perToken && bearer != null
                ? Base64.getUrlEncoder().withoutPadding().encodeToString(Tokens.hash(bearer))
                : edge.clientOf(ctx.request());
    }
}
