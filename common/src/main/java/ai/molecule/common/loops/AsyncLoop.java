package ai.molecule.common.loops;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.Supplier;

/**
 * The same step as often as it says that there is another. A future for each step that waits for the next one's would be a chain as long as
 * there are steps, which at some thousands is deeper than a stack when the last one completes.
 */
public final class AsyncLoop {

    private AsyncLoop() {}

    /** Completes when a step says that it was the last; fails as the first that fails. */
    public static Future<Void> whileTrue(Supplier<Future<Boolean>> step) {
        Promise<Void> over = Promise.promise();
        go(step, over);
        return over.future();
    }

    private static void go(Supplier<Future<Boolean>> step, Promise<Void> over) {
        while (true) {
            Future<Boolean> taken = taken(step);
            if (!taken.isComplete()) {
                taken.onComplete(done -> {
                    if (ended(taken, over)) {
                        return;
                    }
                    go(step, over);
                });
                return;
            }
            if (ended(taken, over)) {
                return;
            }
        }
    }

    private static Future<Boolean> taken(Supplier<Future<Boolean>> step) {
        try {
            return step.get();
        } catch (RuntimeException failure) {
            return Future.failedFuture(failure);
        }
    }

    private static boolean ended(Future<Boolean> taken, Promise<Void> over) {
        if (taken.failed()) {
            over.fail(taken.cause());
            return true;
        }
        if (!taken.result()) {
            over.complete();
            return true;
        }
        return false;
    }
}
