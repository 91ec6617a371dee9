package ai.molecule.provisioner.reconcile;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Supplier;

/** Three starts at a time: an organisation of two hundred must not bring the engine to its knees. */
final class StartTurns {

    private static final int AT_ONCE = 3;

    private final Queue<Promise<Void>> waiting = new ArrayDeque<>();
    private int free = AT_ONCE;

    /** Begins when it is its turn; the turn ends when the start has succeeded or failed. */
    <T> Future<T> take(Supplier<Future<T>> start) {
        return turn().compose(mine -> {
            Future<T> started;
            try {
                started = start.get();
            } catch (RuntimeException failure) {
                started = Future.failedFuture(failure);
            }
            return started.onComplete(done -> end());
        });
    }

    private synchronized Future<Void> turn() {
        if (free > 0) {
            free--;
            return Future.succeededFuture();
        }
        Promise<Void> promise = Promise.promise();
        waiting.add(promise);
        return promise.future();
    }

    private void end() {
        Promise<Void> next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                free++;
                return;
            }
        }
        next.complete();
    }
}
