package ai.molecule.proxy.frontdoor;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Requests that owners have and have not begun to answer; those that wait for too long are given up. And a circuit breaker for each
 * owner: one that leaves a request unanswered for 1.5 s is asked whether it is there; when that is not answered in time either
 * ({@link Replicas#patience}), it stands still: what only reads is given up, and nothing is sent there until it answers such a
 * question, which is asked twice a second for as long as it is one of the owners' addresses. Looked through twice a second, because a timer for each costs more than the whole way through the router. Used on
 * one event loop.
 */
final class PendingRequests {

    private static final long LOOK_MILLIS = 500;
    private static final Duration SUSPICIOUS = Duration.ofMillis(1_500);

    /** @param repeatable whether it changes nothing, so that its client may be told to come again */
    private record Waiting(SocketAddress owner, boolean repeatable, long sinceNanos, long maxNanos) {

        boolean longerThan(long nanos, long now) {
            return now - sinceNanos >= nanos;
        }
    }

    /** As many as there are connections to owners, in the order in which they began to wait. */
    private final Map<HttpClientRequest, Waiting> waiting = new LinkedHashMap<>();

    private final Set<SocketAddress> asked = new HashSet<>();
    private final Set<SocketAddress> standingStill = new HashSet<>();
    private final Function<SocketAddress, Future<Boolean>> isThere;
    private final Predicate<SocketAddress> isKnown;

    /**
     * @param isThere whether an owner answers at all, known within seconds; never fails
     * @param isKnown whether requests may still be sent there: an address that nobody has any more stands still for ever
     */
    PendingRequests(Vertx vertx, Function<SocketAddress, Future<Boolean>> isThere, Predicate<SocketAddress> isKnown) {
        this.isThere = isThere;
        this.isKnown = isKnown;
        vertx.setPeriodic(LOOK_MILLIS, tick -> look());
    }

    /** @param limit from now; half a second more may pass */
    void add(HttpClientRequest request, SocketAddress owner, boolean repeatable, Duration limit) {
        waiting.put(request, new Waiting(owner, repeatable, System.nanoTime(), limit.toNanos()));
    }

    void remove(HttpClientRequest request) {
        waiting.remove(request);
    }

    /** Whether an owner is known to answer nothing. */
    boolean standsStill(SocketAddress owner) {
        return standingStill.contains(owner);
    }

    private void look() {
        long now = System.nanoTime();
        giveUp(waiting.entrySet().stream()
                .filter(entry -> entry.getValue().longerThan(entry.getValue().maxNanos, now)));
        standingStill.removeIf(isKnown.negate());
        Stream.concat(
                        standingStill.stream(),
                        waiting.values().stream()
                                .takeWhile(one -> one.longerThan(SUSPICIOUS.toNanos(), now))
                                .map(Waiting::owner))
                .distinct()
                .filter(asked::add)
                .toList()
                .forEach(this::ask);
    }

    private void ask(SocketAddress owner) {
        isThere.apply(owner).onSuccess(there -> {
            asked.remove(owner);
            if (there) {
                standingStill.remove(owner);
            } else {
                standingStill.add(owner);
                giveUp(waiting.entrySet().stream()
                        .filter(entry -> entry.getValue().repeatable
                                && entry.getValue().owner.equals(owner)));
            }
        });
    }

    private void giveUp(Stream<Map.Entry<HttpClientRequest, Waiting>> those) {
        List<HttpClientRequest> given = those.map(Map.Entry::getKey).toList();
        given.forEach(request -> {
            remove(request);
            request.reset();
        });
    }
}
