package ai.molecule.proxy.frontdoor;

import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * Lets go of an owner that sends nothing: a machine that vanished closes no connection. A client that does not read is let go before that
 * by {@link SlowReader}, so the silence is the owner's. To be used on one event loop.
 */
final class SilentOwner {

    private static final int LOOKS_PER_LIMIT = 5;

    private final Vertx vertx;
    private final long limitNanos;
    private final Runnable letGo;
    private final long timer;
    private long heardNanos = System.nanoTime();

    SilentOwner(Vertx vertx, Duration limit, Runnable letGo) {
        this.vertx = vertx;
        this.limitNanos = limit.toNanos();
        this.letGo = letGo;
        this.timer = vertx.setPeriodic(Math.max(1, limit.toMillis() / LOOKS_PER_LIMIT), look -> look());
    }

    /** It sent something, or was not read until now. */
    void heard() {
        heardNanos = System.nanoTime();
    }

    /** Either side is gone. */
    void over() {
        vertx.cancelTimer(timer);
    }

    private void look() {
        if (System.nanoTime() - heardNanos > limitNanos) {
            over();
            letGo.run();
        }
    }
}
