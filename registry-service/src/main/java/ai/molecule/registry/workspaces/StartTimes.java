package ai.molecule.registry.workspaces;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.provisioner.ProvisionTimeouts;
import ai.molecule.common.cache.BriefCache;
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

    private static final Duration FRESH = Duration.ofSeconds(30);
    private static final ProvisionTimeouts QUESTION = new ProvisionTimeouts();

    /** Only who asks first waits, and not longer. */
    private static final Duration FIRST_MAX = Duration.ofSeconds(1);

    private final Bus bus;
    private final BriefCache<ProvisionTimeouts, Map<String, Long>> answers = new BriefCache<>(FRESH, 1);
    private Map<String, Long> last = Map.of();
    private boolean heard;

    public StartTimes(Bus bus) {
        this.bus = bus;
    }

    /** Milliseconds by runtime; never fails. */
    Future<Map<String, Long>> millis() {
        var asked = answers.get(QUESTION, this::ask);
        return heard && !asked.isComplete() ? Future.succeededFuture(last) : asked;
    }

    private Future<Map<String, Long>> ask(ProvisionTimeouts question) {
        return bus.call(ProvisionTimeouts.CONTRACT, question)
                .timeout(FIRST_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .map(StartTimes::millisOf)
                .otherwise(nobodySays -> last)
                .onSuccess(said -> {
                    last = said;
                    heard = true;
                });
    }

    private static Map<String, Long> millisOf(ProvisionTimeouts.Answer said) {
        Map<String, Long> millis = new HashMap<>();
        said.seconds().forEach((runtime, seconds) -> millis.put(runtime, TimeUnit.SECONDS.toMillis(seconds)));
        return Map.copyOf(millis);
    }
}
