package ai.molecule.events.activity;

import ai.molecule.common.bus.hints.ActivityArrived;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Who waits for new activity of which workspace. To be used on one event loop. */
public final class Arrivals {

    /** Beyond it nobody waits: the caller is answered at once and asks again at its own pace. */
    private static final int WAITING_MAX = 10_000;

    /** The same for one workspace, whose agent needs one. */
    private static final int WAITING_PER_WORKSPACE_MAX = 32;

    private final Vertx vertx;
    private final Map<UUID, Set<Promise<Void>>> waiting = new HashMap<>();
    private int count;
    private boolean closed;

    public Arrivals(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Whether one more may wait for this workspace. */
    boolean hasRoom(UUID workspaceId) {
        return !closed
                && count < WAITING_MAX
                && waiting.getOrDefault(workspaceId, Set.of()).size() < WAITING_PER_WORKSPACE_MAX;
    }

    /** Whoever waits is answered with what there is, and nobody waits any more. */
    public void close() {
        closed = true;
        List.copyOf(waiting.values()).forEach(some -> Set.copyOf(some).forEach(Promise::tryComplete));
    }

    /**
     * Completes when new rows of the workspace were told of, or after {@code longest}, because a hint may be lost. Whoever stops
     * waiting earlier completes it.
     */
    Promise<Void> next(UUID workspaceId, Duration longest) {
        Promise<Void> arrival = Promise.promise();
        waiting.computeIfAbsent(workspaceId, id -> new HashSet<>()).add(arrival);
        count++;
        long timer = vertx.setTimer(Math.max(1, longest.toMillis()), late -> arrival.tryComplete());
        arrival.future().onComplete(arrived -> {
            vertx.cancelTimer(timer);
            forget(workspaceId, arrival);
        });
        return arrival;
    }

    public void announce(ActivityArrived arrived) {
        arrived.workspaceIds()
                .forEach(id -> Set.copyOf(waiting.getOrDefault(id, Set.of())).forEach(Promise::tryComplete));
    }

    private void forget(UUID workspaceId, Promise<Void> arrival) {
        var others = waiting.get(workspaceId);
        if (others != null && others.remove(arrival)) {
            count--;
            if (others.isEmpty()) {
                waiting.remove(workspaceId);
            }
        }
    }
}
