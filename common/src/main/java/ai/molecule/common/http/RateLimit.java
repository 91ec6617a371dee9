package ai.molecule.common.http;

import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.cache.BriefCache;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.db.SharedWindows;
import ai.molecule.common.json.Json;
import ai.molecule.common.redis.FixedWindow;
import ai.molecule.common.redis.RedisStore;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A fixed window for each credential and each address, a minute unless set otherwise, counted in Redis so that replicas share it, locally
 * while Redis is away, and a little late by {@link SharedWindows} where there is none. A workspace has one share whatever its tokens and addresses, and a second one for heartbeats and activity, so that
 * it is not taken for dead when it asks too much; a person has one, however it signs in; an organisation's token has one; the administrator's, which many people hold, one at each address. What
 * remains counts at its address: requests without a credential, workspaces that nobody admitted, and bearers that prove nothing, or
 * guessing one would be free. So many behind one address do not starve each other, nor does one at many addresses starve anybody.
 * Requests that came through the front door were counted there. Skipped while the development hatch is open. To be used on one
 * event loop.
 */
public final class RateLimit implements Handler<RoutingContext> {

    /** A credential that was somebody's counts as theirs for so long. */
    private static final Duration PROVEN_AGE_MAX = Duration.ofMinutes(10);

    /** And may be asked about for so long, however much strangers at its address ask: it was no guess. */
    private static final Duration KNOWN_AGE_MAX = Duration.ofDays(1);

    private static final int PROVEN_MAX = 50_000;
    private static final int OVERRUN_MAX = 10_000;

    private static final Pattern ACTIVITY = Pattern.compile("/workspaces/[^/]+/activity/?");

    private final FixedWindow window;
    private final Edge edge;
    private final Credentials credentials;
    private final Clock clock;
    private final long windowSeconds;
    private final boolean unlimited;

    private final @Nullable String adminToken;

    /** By hash, whose share a credential uses. */
    private final BriefCache<String, Holder> proven = new BriefCache<>(PROVEN_AGE_MAX, PROVEN_MAX);

    private final BriefCache<String, Boolean> known = new BriefCache<>(KNOWN_AGE_MAX, PROVEN_MAX);

    /** Addresses that have used up this window: their strange bearers are not even asked about. */
    private final Set<String> overrun = new HashSet<>();

    private long overrunWindow;

    /**
     * Who has a share of its own.
     *
     * @param admitted whether its share is for all it asks, and not for heartbeats and activity alone
     */
    private record Holder(String key, boolean admitted) {}

    /** @param others where there is no Redis */
    public RateLimit(
            PlatformConfig config,
            RedisStore redis,
            @Nullable SharedWindows others,
            Edge edge,
            Credentials credentials,
            Clock clock) {
        this.window = new FixedWindow(redis, others, clock, "rate", config.rateLimit(), config.rateWindow());
        this.edge = edge;
        this.credentials = credentials;
        this.clock = clock;
        this.windowSeconds = config.rateWindow().toSeconds();
        this.unlimited = config.hatchOpen();
        this.adminToken = config.adminToken();
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
        String network = edge.networkOf(ctx.request());
        keyOf(ctx, network)
                .compose(key -> window.count(key).onSuccess(count -> {
                    if (count.exceeded() && key.equals(network)) {
                        overruns(network);
                    }
                }))
                .onSuccess(count -> {
                    if (ctx.response().closed()) {
                        return; // the client left while it was counted
                    }
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

    private Future<String> keyOf(RoutingContext ctx, String network) {
        String bearer = Bearer.of(ctx.request());
        if (bearer == null) {
            return Future.succeededFuture(network);
        }
        if (adminToken != null && Tokens.same(bearer, adminToken)) {
            return Future.succeededFuture("admin:" + network);
        }
        String hash = Credentials.hashOf(bearer);
        if (hasOverrun(network) && proven.find(hash) == null && known.find(hash) == null) {
            return Future.succeededFuture(network);
        }
        boolean isSignOfLife = isSignOfLife(ctx.normalizedPath());
        return proven.get(hash, this::proof)
                .onSuccess(holder -> known.get(hash, same -> Future.succeededFuture(true)))
                .map(holder -> isSignOfLife ? "alive:" + holder.key() : holder.admitted() ? holder.key() : network)
                .recover(unknown -> Future.succeededFuture(
                        isSignOfLife && !(unknown instanceof Stranger) ? "alive:" + hash : network));
    }

    /** Fails for a stranger, which is not remembered; and while nobody can tell. */
    private Future<Holder> proof(String hash) {
        return credentials.verify(new VerifyToken(hash, null)).compose(verdict -> {
            var workspace = verdict.workspaceHolder() == null ? verdict.modelKeyHolder() : verdict.workspaceHolder();
            if (workspace != null) {
                boolean admitted = verdict.standing() != Standing.UNADMITTED;
                return Future.succeededFuture(new Holder("workspace:" + workspace, admitted));
            }
            var person = verdict.person();
            if (person != null) {
                return Future.succeededFuture(new Holder("person:" + person.id(), true));
            }
            return verdict.holder() == VerifyToken.Holder.ORGANISATION
                    ? Future.succeededFuture(new Holder("organisation:" + hash, true))
                    : Future.failedFuture(new Stranger());
        });
    }

    private static final class Stranger extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Stranger() {
            super("nobody's token", null, false, false);
        }
    }

    private static boolean isSignOfLife(String path) {
        return path.equals("/registry/heartbeat") || ACTIVITY.matcher(path).matches();
    }

    private boolean hasOverrun(String network) {
        return overrunWindow == currentWindow() && overrun.contains(network);
    }

    private void overruns(String network) {
        if (overrunWindow != currentWindow() || overrun.size() >= OVERRUN_MAX) {
            overrunWindow = currentWindow();
            overrun.clear();
        }
        overrun.add(network);
    }

    private long currentWindow() {
        return clock.instant().getEpochSecond() / windowSeconds;
    }
}
