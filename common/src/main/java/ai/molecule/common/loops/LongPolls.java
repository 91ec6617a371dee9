package ai.molecule.common.loops;

import ai.molecule.common.ApiError;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The requests that are held open until something changes, by the id of what they wait for. To be used on one event loop. */
public final class LongPolls {

    /** Beyond it nobody waits: the caller is answered at once and asks again at its own pace. */
    private static final int WAITING_MAX = 10_000;

    /** The same for one id, which one agent needs to wait for. */
    private static final int WAITING_PER_ID_MAX = 32;

    private static final int WAIT_SECONDS_MAX = 25;

    private final Vertx vertx;
    private final Map<UUID, Set<Promise<Void>>> waiting = new HashMap<>();
    private int count;
    private boolean closed;

    public LongPolls(Vertx vertx) {
        this.vertx = vertx;
    }

    /**
     * What a request's {@code wait} says, in seconds; zero without one. A longer wait counts as 25 s: clients and proxies in between give
     * up at 30. Fails with INVALID for anything but a whole number.
     */
    public static Duration patience(@Nullable String text) {
        if (text == null) {
            return Duration.ZERO;
        }
        try {
            long seconds = Long.parseLong(text);
            if (seconds >= 0) {
                return Duration.ofSeconds(Math.min(seconds, WAIT_SECONDS_MAX));
            }
        } catch (NumberFormatException notANumber) {
            // same answer as for a negative one
        }
        throw ApiError.invalid("wait must be a whole number of seconds");
    }

    /** Whether one more may wait for this id. */
    public boolean hasRoom(UUID id) {
        return !closed
                && count < WAITING_MAX
                && waiting.getOrDefault(id, Set.of()).size() < WAITING_PER_ID_MAX;
    }

    /** What somebody waits for. */
    public Set<UUID> awaited() {
        return Set.copyOf(waiting.keySet());
    }

    /** Whoever waits is answered with what there is, and nobody waits any more. */
    public void close() {
        closed = true;
        List.copyOf(waiting.values()).forEach(some -> Set.copyOf(some).forEach(Promise::tryComplete));
    }

    /**
     * Completes when the id is {@linkplain #announce announced}, or after {@code longest}, because a hint may be lost. Whoever stops
     * waiting earlier completes it.
     */
    public Promise<Void> next(UUID id, Duration longest) {
        Promise<Void> arrival = Promise.promise();
        waiting.computeIfAbsent(id, none -> new HashSet<>()).add(arrival);
        count++;
        long timer = vertx.setTimer(Math.max(1, longest.toMillis()), late -> arrival.tryComplete());
        arrival.future().onComplete(arrived -> {
            vertx.cancelTimer(timer);
            forget(id, arrival);
        });
        return arrival;
    }

    /** Something has changed about these. */
    public void announce(Collection<UUID> ids) {
        ids.forEach(id -> Set.copyOf(waiting.getOrDefault(id, Set.of())).forEach(Promise::tryComplete));
    }

    private void forget(UUID id, Promise<Void> arrival) {
        var others = waiting.get(id);
        if (others != null && others.remove(arrival)) {
            count--;
            if (others.isEmpty()) {
                waiting.remove(id);
            }
        }
    }
}
