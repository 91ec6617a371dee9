package ai.molecule.provisioner.reconcile;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs work per workspace: never two for one, at most {@code parallel} in all, the others wait in order. Whoever asks gets a run
 * that began after the asking, shared with all who asked meanwhile. Waiting is bounded by the number of workspaces.
 */
final class SingleFlight {

    private final int parallel;
    private final Function<UUID, Future<Void>> work;
    private final Map<UUID, Flight> flights = new HashMap<>();
    private final Queue<UUID> waiting = new ArrayDeque<>();
    private final Promise<Void> idle = Promise.promise();
    private int running;
    private boolean closed;

    private static final class Flight {
        Promise<Void> current = Promise.promise();

        @Nullable
        Promise<Void> next;

        boolean begun;
    }

    SingleFlight(int parallel, Function<UUID, Future<Void>> work) {
        this.parallel = parallel;
        this.work = work;
    }

    Future<Void> run(UUID workspaceId) {
        Future<Void> outcome;
        synchronized (this) {
            var flight = flights.get(workspaceId);
            if (flight == null) {
                flight = new Flight();
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
            work.apply(workspaceId).onComplete(done -> end(workspaceId, done.cause()));
        }
    }

    private void end(UUID workspaceId, @Nullable Throwable failure) {
        Promise<Void> landed;
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
        if (failure == null) {
            landed.complete();
        } else {
            landed.fail(failure);
        }
        begin();
    }

    private Flight flightOf(UUID workspaceId) {
        var flight = flights.get(workspaceId);
        if (flight == null) {
            throw new IllegalStateException("no flight for " + workspaceId);
        }
        return flight;
    }
}
