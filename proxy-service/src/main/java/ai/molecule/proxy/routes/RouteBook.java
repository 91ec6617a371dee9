package ai.molecule.proxy.routes;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.tracing.Tracing;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The registry's answers, remembered: routes for at most 30 s, verdicts about a caller and answers without a URL for at most
 * 2 s, so that a lost hint heals by itself. A {@link WorkspaceChanged} drops the workspace's route and every verdict. Questions
 * asked at the same time share one call. To be used on one event loop.
 */
public final class RouteBook {

    /** The design's maximum ages: 30 s for routes, 2 s for access. */
    public static final Duration ROUTE_AGE_MAX = Duration.ofSeconds(30);

    public static final Duration VERDICT_AGE_MAX = Duration.ofSeconds(2);

    /** Entries of each kind; a full book forgets all of them. A route takes about 300 bytes. */
    private static final int ENTRIES_MAX = 50_000;

    private record Entry(Future<Route> answer, long askedNanos) {}

    private final Bus bus;
    private final LongSupplier nanos;
    private final Map<UUID, Entry> routes = new HashMap<>();
    private final Map<ResolveRoute, Entry> verdicts = new HashMap<>();

    /** @param nanos a clock as {@link System#nanoTime} */
    public RouteBook(Bus bus, LongSupplier nanos) {
        this.bus = bus;
        this.nanos = nanos;
        bus.listen(WorkspaceChanged.HINT, hint -> drop(hint.workspaceId()));
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

    private <K> Future<Route> ask(Map<K, Entry> known, K key, ResolveRoute question) {
        var entry = known.get(key);
        if (entry != null
                && nanos.getAsLong() - entry.askedNanos
                        < ageMax(entry, question).toNanos()) {
            return Tracing.here(entry.answer);
        }
        if (known.size() >= ENTRIES_MAX) {
            known.clear();
        }
        var asked = new Entry(bus.call(ResolveRoute.CONTRACT, question), nanos.getAsLong());
        known.put(key, asked);
        return asked.answer.onFailure(failure -> known.remove(key, asked));
    }

    private static Duration ageMax(Entry entry, ResolveRoute question) {
        var route = entry.answer.result();
        return question.caller() == null && route != null && route.hasAddress() ? ROUTE_AGE_MAX : VERDICT_AGE_MAX;
    }
}
