package ai.molecule.proxy.frontdoor;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Requests that owners have and have not begun to answer; those that wait for too long are given up. Looked through once a second,
 * because a timer for each costs more than the whole way through the router. Used on one event loop.
 */
final class Unanswered {

    private static final long LOOK_MILLIS = 1_000;

    /** As many as there are connections to owners. */
    private final Map<HttpClientRequest, Long> dueNanos = new HashMap<>();

    Unanswered(Vertx vertx) {
        vertx.setPeriodic(LOOK_MILLIS, tick -> giveUpLate());
    }

    /** @param limit from now; a second more may pass */
    void add(HttpClientRequest request, Duration limit) {
        dueNanos.put(request, System.nanoTime() + limit.toNanos());
    }

    void remove(HttpClientRequest request) {
        dueNanos.remove(request);
    }

    private void giveUpLate() {
        long now = System.nanoTime();
        var late = dueNanos.entrySet().stream()
                .filter(waiting -> waiting.getValue() - now <= 0)
                .map(Map.Entry::getKey)
                .toList();
        late.forEach(request -> {
            remove(request);
            request.reset();
        });
    }
}
