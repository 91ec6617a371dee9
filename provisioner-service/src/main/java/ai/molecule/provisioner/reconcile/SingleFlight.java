package ai.molecule.provisioner.reconcile;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs work per workspace: never two for one, at most {@code parallel} in all, the others wait in order. Whoever asks gets a run
 * that began after the asking, shared with all who asked meanwhile. Waiting is bounded by the number of workspaces.
 */
final class SingleFlight<T> {

    private final int parallel;
    private final Function<UUID, Future<T>> work;
    private final Map<UUID, Flight<T>> flights = new HashMap<>();
    private final Queue<UUID> waiting = new ArrayDeque<>();
    private final Promise<Void> idle = Promise.promise();
    private int running;
    private boolean closed;

    private static final class Flight<T> {
        Promise<T> current = Promise.promise();

        @Nullable
        Promise<T> next;

        boolean begun;
    }

    SingleFlight(int parallel, Function<UUID, Future<T>> work) {
        this.parallel = parallel;
        this.work = work;
    }

    Future<T> run(UUID workspaceId) {
        Future<T> outcome;
        synchronized (this) {
            var flight = flights.get(workspaceId);
            if (flight == null) {
                flight = new Flight<>();
                flights.put(workspaceId, flight);
                waiting.add(workspaceId);
                outcome = flight.current.future();
            } else if (!flight.begun) {
                outcome = flight.current.future();
            } else {
                if (flight.next == null) {
                    flight.next = Promise.promise();
                }
                outcome = flight.next.future();
            }
        }
        begin();
        return outcome;
    }

    /** The run of a workspace that has begun; empty when none has, though one may wait. */
    synchronized Optional<Future<T>> underWay(UUID workspaceId) {
        var flight = flights.get(workspaceId);
        return flight == null || !flight.begun ? Optional.empty() : Optional.of(flight.current.future());
    }

    /** Begins nothing any more; completes when what runs has ended. Those who still wait are left waiting. */
    Future<Void> close() {
        synchronized (this) {
            closed = true;
            if (running == 0) {
                idle.tryComplete();
            }
        }
        return idle.future();
    }

    private void begin() {
        while (true) {
            UUID workspaceId;
            synchronized (this) {
                if (closed || running >= parallel || waiting.isEmpty()) {
                    return;
                }
                workspaceId = waiting.remove();
                running++;
                flightOf(workspaceId).begun = true;
            }
            work.apply(workspaceId).onComplete(done -> end(workspaceId, done));
        }
    }

    private void end(UUID workspaceId, AsyncResult<T> done) {
        Promise<T> landed;
        synchronized (this) {
            running--;
            if (closed && running == 0) {
                idle.tryComplete();
            }
            var flight = flightOf(workspaceId);
            landed = flight.current;
            if (flight.next == null) {
                flights.remove(workspaceId);
            } else {
                flight.current = flight.next;
                flight.next = null;
                flight.begun = false;
                waiting.add(workspaceId);
            }
        }
        landed.handle(done);
        begin();
    }

    private Flight<T> flightOf(UUID workspaceId) {
        var flight = flights.get(workspaceId);
        if (flight == null) {
            throw new IllegalStateException("no flight for " + workspaceId);
        }
        return flight;
    }
}
