package ai.molecule.common.loops;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/**
 * Work that would wait for the same lock anyway, one at a time and in the order it came, so that what waits holds nothing. Each goes on in
 * the context that it came in.
 */
public final class Turns {

    private final Vertx vertx;
    private final int waitingMax;
    private final Duration longest;
    private final Supplier<? extends Throwable> refusal;
    private final Deque<Promise<Void>> waiting = new ArrayDeque<>();
    private boolean taken;

    /**
     * @param waitingMax beyond it whoever comes is refused at once
     * @param longest after which whoever waits is refused
     * @param refusal what it fails with then
     */
    public Turns(Vertx vertx, int waitingMax, Duration longest, Supplier<? extends Throwable> refusal) {
        this.vertx = vertx;
        this.waitingMax = waitingMax;
        this.longest = longest;
        this.refusal = refusal;
    }

    /** Completes as {@code work} does, which begins when nobody's before it is under way. */
    public <T> Future<T> run(Supplier<Future<T>> work) {
        Promise<Void> turn = Promise.promise();
        synchronized (this) {
            if (taken && waiting.size() >= waitingMax) {
                return Future.failedFuture(refusal.get());
            }
            if (taken) {
                waiting.addLast(turn);
            } else {
                taken = true;
                turn.complete();
            }
        }
        if (turn.future().isComplete()) {
            return attempt(work);
        }
        Context context = vertx.getOrCreateContext();
        Promise<T> result = Promise.promise();
        long timer = vertx.setTimer(longest.toMillis(), late -> {
            if (leave(turn)) {
                turn.fail(refusal.get());
            }
        });
        turn.future()
                .onComplete(over -> vertx.cancelTimer(timer))
                .onSuccess(mine -> context.runOnContext(here -> attempt(work).onComplete(result)))
                .onFailure(result::fail);
        return result.future();
    }

    private <T> Future<T> attempt(Supplier<Future<T>> work) {
        Future<T> begun;
        try {
            begun = work.get();
        } catch (RuntimeException thrown) {
            begun = Future.failedFuture(thrown);
        }
        return begun.onComplete(over -> next());
    }

    private synchronized boolean leave(Promise<Void> turn) {
        return waiting.remove(turn);
    }

    private void next() {
        Promise<Void> turn;
        synchronized (this) {
            turn = waiting.pollFirst();
            taken = turn != null;
        }
        if (turn != null) {
            turn.complete();
        }
    }
}
