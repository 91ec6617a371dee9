package ai.molecule.proxy.a2a.calls;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Holds what a canvas hears of an answer back until it has the answer: what is sent at the same time comes by another connection, and
 * may come first, and a page that hears of its answer before the request has one waits for it for good. To be used on one event loop.
 */
final class AfterAnswer {

    /** After the last byte was written; events were seen 27 to 48 ms ahead of it in a page. */
    static final Duration LEAD = Duration.ofMillis(250);

    /** Those that are due within this of each other go together. */
    private static final Duration TOGETHER = Duration.ofMillis(10);

    /** Of what is held back together; more of it goes at once. */
    static final long BYTES_MAX = 16L << 20;

    /** What an event takes besides an answer in it, so that their number has a bound too. */
    static final int EVENT_BYTES = 1024;

    /** Runs something later. */
    @FunctionalInterface
    interface Timer {
        void after(Duration time, Runnable then);
    }

    private record Due(long nanos, Promise<Void> turn) {}

    private final Timer timer;
    private final LongSupplier nanos;
    private final Set<Promise<Void>> held = new LinkedHashSet<>();
    private final ArrayDeque<Due> due = new ArrayDeque<>();
    private long heldBytes;
    private boolean stopped;

    /** @param nanos the time, as {@link System#nanoTime} tells it */
    AfterAnswer(Timer timer, LongSupplier nanos) {
        this.timer = timer;
        this.nanos = nanos;
    }

    /**
     * Completes when an event about an answer may go out: in time after {@code written}; at once when that is over already, fails, or too
     * much is held back.
     *
     * @param written completes when the caller's answer was written to its last byte, fails when it is gone
     * @param bytes of the answer in the event
     */
    Future<Void> turn(Future<Void> written, long bytes) {
        long size = bytes + EVENT_BYTES;
        if (stopped || written.isComplete() || heldBytes + size > BYTES_MAX) {
            return Future.succeededFuture();
        }
        Promise<Void> turn = Promise.promise();
        held.add(turn);
        heldBytes += size;
        written.onSuccess(done -> hold(turn)).onFailure(gone -> turn.tryComplete());
        return turn.future().onComplete(done -> {
            held.remove(turn);
            heldBytes -= size;
        });
    }

    /** They come due in the order they began to wait, so one timer is enough for all. */
    private void hold(Promise<Void> turn) {
        if (stopped) {
            return; // it went then
        }
        due.add(new Due(nanos.getAsLong() + LEAD.toNanos(), turn));
        if (due.size() == 1) {
            timer.after(LEAD, this::next);
        }
    }

    private void next() {
        long now = nanos.getAsLong();
        while (!due.isEmpty() && due.peek().nanos - now <= 0) {
            due.remove().turn.tryComplete();
        }
        if (!due.isEmpty()) {
            var left = Duration.ofNanos(due.peek().nanos - now);
            timer.after(left.compareTo(TOGETHER) < 0 ? TOGETHER : left, this::next);
        }
    }

    /** From now on everything goes at once. */
    void stop() {
        stopped = true;
        due.clear();
        List.copyOf(held).forEach(Promise::tryComplete);
    }
}
