package ai.molecule.common.net;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A circuit breaker with one half-open probe: after a failure calls are refused for a pause, then one of them is let through while
 * the others are still refused; its outcome closes the circuit or opens it for another pause. So a neighbour that hangs costs one
 * caller a wait, and not everybody.
 */
public final class Circuit {

    private static final long PROBE_MAX_NANOS = Duration.ofSeconds(5).toNanos();

    private final String refusal;
    private final Duration pause;
    private final Predicate<Throwable> isAway;
    private final LongSupplier nanoTime;

    private boolean open;
    private long probeAtNanos;

    /** Counts the openings and the probes: what was called before the last of them says nothing about now. */
    private long turn;

    /** @param isAway whether a failure is the neighbour's absence; any other counts as an answer */
    public Circuit(String refusal, Duration pause, Predicate<Throwable> isAway, LongSupplier nanoTime) {
        this.refusal = refusal;
        this.pause = pause;
        this.isAway = isAway;
        this.nanoTime = nanoTime;
    }

    /** Calls, or fails at once without calling. */
    public <T> Future<T> call(Supplier<Future<T>> attempt) {
        Long mine = enter();
        return mine == null
                ? Future.failedFuture(refusal)
                : attempt.get().onComplete(outcome -> leave(mine, outcome.cause()));
    }

    public synchronized boolean isOpen() {
        return open;
    }

    /** Null when refused. */
    private synchronized @Nullable Long enter() {
        if (open) {
            long now = nanoTime.getAsLong();
            if (now - probeAtNanos < 0) {
                return null;
            }
            probeAtNanos = now + pause.toNanos() + PROBE_MAX_NANOS; // should the probe never end, another one may go
            turn++;
        }
        return turn;
    }

    private synchronized void leave(long entered, @Nullable Throwable failure) {
        if (failure == null || !isAway.test(failure)) {
            open = false;
        } else if (entered == turn) {
            open = true;
            turn++;
            probeAtNanos = nanoTime.getAsLong() + pause.toNanos();
        }
    }
}
