package ai.molecule.registry.workspaces;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.provisioner.ProvisionTimeouts;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How long agents of a runtime may take to start, as templates say and clients are told ({@code provision_timeout_ms}). Asked of the
 * provisioner at most every 30 s; what was last heard is good enough meanwhile, and nothing is said while nobody can say. To be used
 * on one event loop.
 */
public final class StartTimes {

    private static final long FRESH_NANOS = Duration.ofSeconds(30).toNanos();

    /** Only who asks first waits, and not longer. */
    private static final Duration FIRST_MAX = Duration.ofSeconds(1);

    private final Bus bus;
    private Future<Map<String, Long>> known = Future.succeededFuture(Map.of());
    private long askedAt = System.nanoTime() - FRESH_NANOS;
    private boolean heard;

    public StartTimes(Bus bus) {
        this.bus = bus;
    }

    /** Milliseconds by runtime; never fails. */
    Future<Map<String, Long>> millis() {
        if (System.nanoTime() - askedAt >= FRESH_NANOS) {
            askedAt = System.nanoTime();
            var asked = ask();
            if (!heard) {
                heard = true;
                known = asked;
            } else {
                asked.onSuccess(said -> known = Future.succeededFuture(said));
            }
        }
        return known;
    }

    private Future<Map<String, Long>> ask() {
        var before = known.succeeded() ? known.result() : Map.<String, Long>of();
        return bus.call(ProvisionTimeouts.CONTRACT, new ProvisionTimeouts())
                .timeout(FIRST_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .map(StartTimes::millisOf)
                .otherwise(before);
    }

    private static Map<String, Long> millisOf(ProvisionTimeouts.Answer said) {
        Map<String, Long> millis = new HashMap<>();
        said.seconds().forEach((runtime, seconds) -> millis.put(runtime, TimeUnit.SECONDS.toMillis(seconds)));
        return Map.copyOf(millis);
    }
}
