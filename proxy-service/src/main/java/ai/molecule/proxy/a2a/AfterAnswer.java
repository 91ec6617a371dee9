package ai.molecule.proxy.a2a;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Holds what a canvas hears of an answer back until it has the answer: what is sent at the same time comes by another connection, and
 * may come first, and a page that hears of its answer before the request has one waits for it for good. To be used on one event loop.
 */
final class AfterAnswer {

    /** After the last byte was written; events were seen 27 to 48 ms ahead of it in a page. */
    static final Duration LEAD = Duration.ofMillis(250);

    /** Of what is held back together; more of it goes at once. */
    static final long BYTES_MAX = 16L << 20;

    /** What an event takes besides an answer in it, so that their number has a bound too. */
    static final int EVENT_BYTES = 1024;

    /** Runs something later. */
    @FunctionalInterface
    interface Timer {
        void after(Duration time, Runnable then);
    }

    private final Timer timer;
    private final Set<Promise<Void>> held = new LinkedHashSet<>();
    private long heldBytes;
    private boolean stopped;

    AfterAnswer(Timer timer) {
        this.timer = timer;
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
        written.onSuccess(done -> timer.after(LEAD, turn::tryComplete)).onFailure(gone -> turn.tryComplete());
        return turn.future().onComplete(done -> {
            held.remove(turn);
            heldBytes -= size;
        });
    }

    /** From now on everything goes at once. */
    void stop() {
        stopped = true;
        List.copyOf(held).forEach(Promise::tryComplete);
    }
}
