package ai.molecule.proxy;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * How the proxy ends. Whatever is opened says at which step it is closed; the steps are taken in their order, one after the other,
 * and one that fails keeps no later one from being taken.
 */
final class Shutdown {

    /**
     * Streams go to other replicas first, then new requests are refused, then calls still at their agents are given up, then all of
     * it is written down.
     */
    enum Step {
        ADOPTIONS,
        FRONT_DOOR,
        STREAMS,
        REQUESTS,
        LEASES,
        CALLS,
        CONNECTIONS,
        ACTIVITY_ROWS,
        TIMERS,
        SERVICE
    }

    private final Map<Step, List<Supplier<Future<?>>>> endings = new EnumMap<>(Step.class);

    /** Those of one step are taken in the order in which they were added. */
    void at(Step step, Supplier<Future<?>> ending) {
        endings.computeIfAbsent(step, first -> new ArrayList<>()).add(ending);
    }

    void at(Step step, Runnable ending) {
        at(step, () -> {
            ending.run();
            return Future.succeededFuture();
        });
    }

    /** Fails with the first failure, after the last step. */
    Future<?> run() {
        Future<?> done = Future.succeededFuture();
        for (var step : endings.values()) {
            for (var ending : step) {
                done = done.eventually(() -> ending.get());
            }
        }
        return done;
    }
}
