package ai.molecule.common.db;

import ai.molecule.common.ApiError;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Writes down what there is no second copy of, once a second until it is written, so that a database that is away for a moment costs
 * nothing. What is written is idempotent, because the outcome of a try that failed is not known. To be used on one event loop.
 */
public final class RepeatedWrites {

    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int TIMES_MAX = 120;

    private final Vertx vertx;
    private final BooleanSupplier stopped;
    private boolean away;

    /** @param stopped from when on nothing is written again */
    public RepeatedWrites(Vertx vertx, BooleanSupplier stopped) {
        this.vertx = vertx;
        this.stopped = stopped;
    }

    /** Tries for two minutes, whatever the failure is, and then fails with the last one; at once with a refusal. */
    public <T> Future<T> write(Supplier<Future<T>> write) {
        return write(write, TIMES_MAX, failure -> !(failure instanceof ApiError));
    }

    /** Tries for as long as the database is away, so whoever calls bounds what waits; fails at once with what is no outage. */
    public <T> Future<T> outlive(Supplier<Future<T>> write) {
        return write(
                write, Integer.MAX_VALUE, failure -> Postgres.outage(failure).isPresent());
    }

    /** Whether the last try failed, and another one follows: what waits cannot be written now. */
    public boolean isAway() {
        return away;
    }

    private <T> Future<T> write(Supplier<Future<T>> write, int times, Predicate<Throwable> again) {
        return write.get().onSuccess(written -> away = false).recover(failure -> {
            away = times > 0 && !stopped.getAsBoolean() && again.test(failure);
            return away
                    ? vertx.timer(PAUSE.toMillis(), TimeUnit.MILLISECONDS)
                            .compose(later -> write(write, times - 1, again))
                    : Future.failedFuture(failure);
        });
    }
}
