package ai.molecule.proxy.routes;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.PolicyChanged;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.tracing.Tracing;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The registry's answers, believed for 2 s, so that a lost hint heals by itself. A route that is older is asked for anew, but while
 * the registry does not answer it is good for 30 s: messages go on. A {@link WorkspaceChanged} drops the workspace's route and every
 * verdict. Questions asked at the same time share one call. To be used on one event loop.
 */
public final class RouteBook {

    /** How long an answer is believed without asking; a quarantine is obeyed at the latest then. */
    public static final Duration BELIEVED = Duration.ofSeconds(2);

    /** How long a route is good for while the registry does not answer. */
    public static final Duration REMEMBERED = Duration.ofSeconds(30);

    /** Who has a route that is good enough does not wait longer for a better one. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** Entries of each kind; a full book forgets what was asked for least. A route takes about 300 bytes. */
    private static final int ENTRIES_MAX = 50_000;

    /** @param confirmedNanos when the registry itself last said so */
    private record Entry(Future<Route> answer, long askedNanos, long confirmedNanos) {}

    private final Bus bus;
    private final LongSupplier nanos;
    private final Map<UUID, Entry> routes = bounded();
    private final Map<ResolveRoute, Entry> verdicts = bounded();

    /** @param nanos a clock as {@link System#nanoTime} */
    public RouteBook(Bus bus, LongSupplier nanos) {
        this.bus = bus;
        this.nanos = nanos;
        bus.listen(WorkspaceChanged.HINT, hint -> drop(hint.workspaceId()));
        bus.listen(PolicyChanged.HINT, hint -> {
            routes.clear(); // each says whether there are rules
            verdicts.clear();
        });
    }

    /**
     * @param caller null when nobody's access is asked about: the canvas, or the target itself
     * @return fails with UNAVAILABLE when the registry does not answer; never guesses
     */
    public Future<Route> resolve(UUID target, @Nullable UUID caller) {
        return caller == null
                ? ask(routes, target, new ResolveRoute(target, null))
                : ask(verdicts, new ResolveRoute(target, caller), new ResolveRoute(target, caller));
    }

    public void drop(UUID workspaceId) {
        routes.remove(workspaceId);
        verdicts.clear(); // a move changes whom its siblings and children may talk to
    }

    private static <K> Map<K, Entry> bounded() {
        return Caffeine.newBuilder()
                .maximumSize(ENTRIES_MAX)
                .executor(Runnable::run)
                .<K, Entry>build()
                .asMap();
    }

    private <K> Future<Route> ask(Map<K, Entry> known, K key, ResolveRoute question) {
        long now = nanos.getAsLong();
        var entry = known.get(key);
        if (entry != null && now - entry.askedNanos < BELIEVED.toNanos()) {
            return Tracing.here(entry.answer);
        }
        var answer = bus.call(ResolveRoute.CONTRACT, question);
        var asked = entry != null && isGoodEnough(entry, question, now)
                ? new Entry(orRemembered(answer, entry), now, entry.confirmedNanos)
                : new Entry(answer, now, now);
        known.put(key, asked);
        answer.onSuccess(route -> known.replace(key, asked, new Entry(answer, now, now)));
        return asked.answer.onFailure(failure -> known.remove(key, asked));
    }

    private static Future<Route> orRemembered(Future<Route> answer, Entry entry) {
        return answer.timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS).recover(away -> entry.answer);
    }

    private static boolean isGoodEnough(Entry entry, ResolveRoute question, long now) {
        var route = entry.answer.result();
        return question.caller() == null
                && route != null
                && route.hasAddress()
                && now - entry.confirmedNanos < REMEMBERED.toNanos();
    }
}
