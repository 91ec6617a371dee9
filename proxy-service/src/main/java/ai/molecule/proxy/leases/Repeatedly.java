package ai.molecule.proxy.leases;

import ai.molecule.common.ApiError;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Writes down what there is no second copy of: once a second for two minutes, so that a database that is away for a moment costs nothing. */
public final class Repeatedly {

    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final int TIMES_MAX = 120;

    private final Vertx vertx;
    private final BooleanSupplier stopped;

    /** @param stopped from when on nothing is written again */
    public Repeatedly(Vertx vertx, BooleanSupplier stopped) {
        this.vertx = vertx;
        this.stopped = stopped;
    }

    /** Fails with the last failure, or at once with a refusal. {@code write} is idempotent. */
    public <T> Future<T> write(Supplier<Future<T>> write) {
        return write(write, TIMES_MAX);
    }

    private <T> Future<T> write(Supplier<Future<T>> write, int times) {
        return write.get()
                .recover(failure -> times == 0 || stopped.getAsBoolean() || failure instanceof ApiError
                        ? Future.failedFuture(failure)
                        : vertx.timer(PAUSE.toMillis(), TimeUnit.MILLISECONDS)
                                .compose(later -> write(write, times - 1)));
    }
}
