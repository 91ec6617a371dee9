package ai.molecule.provisioner.plugins;

import ai.molecule.common.ApiError;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.function.Supplier;

/** So much work at once and no more; some waits in order, what is beyond that is refused at once. */
final class Turns {

    private static final int RETRY_SECONDS = 5;

    private final int atOnce;
    private final int waitingMax;
    private final Queue<Promise<Void>> waiting = new ArrayDeque<>();
    private int taken;

    Turns(int atOnce, int waitingMax) {
        this.atOnce = atOnce;
        this.waitingMax = waitingMax;
    }

    /** Fails with RATE_LIMITED when too many wait. */
    <T> Future<T> take(Supplier<Future<T>> work) {
        return turn().compose(mine -> Future.<Void>succeededFuture()
                .compose(now -> work.get()) // what it throws is a failure like any other
                .onComplete(done -> pass()));
    }

    private synchronized Future<Void> turn() {
        if (taken < atOnce) {
            taken++;
            return Future.succeededFuture();
        }
        if (waiting.size() >= waitingMax) {
            return Future.failedFuture(new ApiError(
                    ApiError.Kind.RATE_LIMITED,
                    "too many plugins are being fetched — retry shortly",
                    Map.of("retry_after", RETRY_SECONDS)));
        }
        Promise<Void> turn = Promise.promise();
        waiting.add(turn);
        return turn.future();
    }

    private void pass() {
        Promise<Void> next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                taken--;
            }
        }
        if (next != null) {
            next.complete();
        }
    }
}
