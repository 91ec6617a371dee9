package ai.molecule.common.http;

import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.json.Json;
import ai.molecule.common.redis.RedisStore;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.time.Clock;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A fixed window of a minute per client address, counted in Redis so that replicas share it, and locally while Redis is away.
 * Heartbeats and activity reports with a bearer count per token instead: many agents may share one address. Requests that came
 * through the front door were counted there. Skipped while the development hatch is open.
 */
public final class RateLimit implements Handler<RoutingContext> {

    private static final int WINDOW_SECONDS = 60;
    private static final int LOCAL_KEYS_MAX = 100_000;

    /** INCR and EXPIRE in one step: a counter can never stay without its expiry. */
    private static final String COUNT = """
            local n = redis.call('INCR', KEYS[1])
            if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
            return n
            """;

    private final RedisStore redis;
    private final Edge edge;
    private final Clock clock;
    private final int limit;
    private final boolean unlimited;
    private final Map<String, Integer> local = new ConcurrentHashMap<>();
    private long localWindow;

    public RateLimit(PlatformConfig config, RedisStore redis, Edge edge, Clock clock) {
        this.redis = redis;
        this.edge = edge;
        this.clock = clock;
        this.limit = config.rateLimitPerMinute();
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
        long seconds = clock.instant().getEpochSecond();
        long window = seconds / WINDOW_SECONDS;
        long resetSeconds = WINDOW_SECONDS - seconds % WINDOW_SECONDS;
        ctx.request().pause();
        count("rate:" + keyOf(ctx) + ":" + window, window).onComplete(counted -> {
            ctx.request().resume();
            long used = counted.result();
            ctx.response()
                    .putHeader("X-RateLimit-Limit", String.valueOf(limit))
                    .putHeader("X-RateLimit-Remaining", String.valueOf(Math.max(0, limit - used)))
                    .putHeader("X-RateLimit-Reset", String.valueOf(resetSeconds));
            if (used > limit) {
                refuse(ctx, resetSeconds);
            } else {
                ctx.next();
            }
        });
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

    private Future<Long> count(String key, long window) {
        return redis.send(Request.cmd(Command.EVAL).arg(COUNT).arg(1).arg(key).arg(2 * WINDOW_SECONDS))
                .map(answer -> answer == null ? 0L : answer.toLong())
                .otherwise(away -> countLocally(key, window));
    }

    private synchronized long countLocally(String key, long window) {
        if (window != localWindow || local.size() >= LOCAL_KEYS_MAX) {
            local.clear();
            localWindow = window;
        }
        return local.merge(key, 1, Integer::sum);
    }
}
