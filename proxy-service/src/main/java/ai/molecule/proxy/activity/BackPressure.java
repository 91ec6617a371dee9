package ai.molecule.proxy.activity;

import ai.molecule.common.ApiError;
import ai.molecule.common.tracing.Tracing;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Back-pressure of what waits to be written down on what brings more of it: new calls wait before anything is delivered, and answers
 * of agents before more of them is read. Each in its order, answers first, because their calls were let in already. To be used on
 * one event loop.
 */
public final class BackPressure {

    /** Calls held back at one time; each holds a request of at most 1 MiB. */
    private static final int WAITING_MAX = 1024;

    private record Waiter(long bytes, Promise<Void> turn) {}

    private final Vertx vertx;
    private final ActivityLimits limits;
    private final Deque<Waiter> answers = new ArrayDeque<>();
    private final Deque<Waiter> calls = new ArrayDeque<>();
    private int rows;
    private long bytes;

    public BackPressure(Vertx vertx, ActivityLimits limits) {
        this.vertx = vertx;
        this.limits = limits;
    }

    /**
     * Completes when another call may be made: at once while there is room, in turn when rows were written, and with
     * {@code platform_unavailable} when that takes longer than the limits' patience.
     */
    public Future<Void> room() {
        if (hasRoom() && calls.isEmpty()) {
            return Future.succeededFuture();
        }
        return calls.size() >= WAITING_MAX
                ? Future.failedFuture(ApiError.platformUnavailable())
                : await(calls, new Waiter(0, Promise.promise()));
    }

    /** Takes room for so many bytes of an answer: at once, in turn, or, after the limits' patience, not at all. */
    public Future<Void> take(long more) {
        if (answers.isEmpty() && fits(more)) {
            bytes += more;
            return Future.succeededFuture();
        }
        return await(answers, new Waiter(more, Promise.promise()));
    }

    /** Gives back what was taken. */
    public void give(long less) {
        bytes -= less;
        letIn(0);
    }

    /** A row waits. */
    void added(long more) {
        rows++;
        bytes += more;
    }

    /** So many rows wait no more. */
    void written(int count, long less) {
        rows -= count;
        bytes -= less;
        letIn(count);
    }

    int rows() {
        return rows;
    }

    private Future<Void> await(Deque<Waiter> queue, Waiter waiter) {
        queue.add(waiter);
        long timer = vertx.setTimer(limits.patience().toMillis(), late -> {
            if (queue.remove(waiter)) {
                waiter.turn.fail(ApiError.platformUnavailable());
            }
        });
        return Tracing.here(waiter.turn.future()).onComplete(done -> vertx.cancelTimer(timer));
    }

    /** As many calls as rows left, because each will add one; and everybody when no row is left that could let the next in. */
    private void letIn(int count) {
        while (!answers.isEmpty() && fits(answers.peek().bytes)) {
            var next = answers.remove();
            bytes += next.bytes;
            next.turn.complete();
        }
        for (int i = 0; (i < count || rows == 0) && hasRoom() && !calls.isEmpty(); i++) {
            calls.remove().turn.complete();
        }
    }

    private boolean fits(long more) {
        return bytes + more <= limits.bytesMax() || bytes == 0;
    }

    private boolean hasRoom() {
        return rows < limits.rowsMax() && bytes < limits.bytesMax();
    }
}
