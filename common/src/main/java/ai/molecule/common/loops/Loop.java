package ai.molecule.common.loops;

import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.common.tracing.Tracing;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs something on a timer and when poked, one run at a time. Pokes during a run are one more run after it; ticks during a run are
 * none. A run that fails, or throws, is reported, and logged if the one before did not; the next one comes after a second at the
 * earliest. A run past its deadline is shown as such on {@code /admin/liveness}, and given up after
 * {@value #GIVEN_UP_AFTER} of them: whatever it waits for, the loop goes on. To be used on one event loop.
 */
public final class Loop {

    private static final Logger LOGGER = LoggerFactory.getLogger(Loop.class);

    static final int GIVEN_UP_AFTER = 3;

    /**
     * @param period between ticks
     * @param pace the least time from the end of a run to the beginning of one that was poked for; zero for none
     * @param deadline by which a run is over when all is well
     * @param retry after which a run that failed is tried again, where the period is longer
     */
    public record Times(Duration period, Duration pace, Duration deadline, Duration retry) {

        public Times(Duration period, Duration pace, Duration deadline) {
            this(period, pace, deadline, Duration.ofMinutes(1));
        }

        public Times(Duration period, Duration deadline) {
            this(period, Duration.ZERO, deadline);
        }
    }

    /** RESTING: between runs, when pokes wait for the pace, and everything for the second after a failure. */
    private enum State {
        IDLE,
        RUNNING,
        RESTING
    }

    private static final long FAILED_REST_MILLIS = 1_000;

    private final Vertx vertx;
    private final RunReport report;
    private final String waitsFor;
    private final Times times;
    private final Supplier<? extends Future<?>> run;
    private final Promise<Void> over = Promise.promise();
    private State state = State.IDLE;
    private boolean poked;
    private boolean stopped;
    private boolean failedBefore;
    private long timer = -1;

    /**
     * @param report gets how each run ended, see {@link RunReport#ended}
     * @param waitsFor what a run that does not end probably waits for, such as {@code PostgreSQL}
     */
    public Loop(Vertx vertx, RunReport report, String waitsFor, Times times, Supplier<? extends Future<?>> run) {
        this.vertx = vertx;
        this.report = report;
        this.waitsFor = waitsFor;
        this.times = times;
        this.run = run;
    }

    /** Ticks on the calling context from now on, for the first time after a period. */
    public Loop start() {
        timer = vertx.setPeriodic(times.period.toMillis(), tick -> tick());
        return this;
    }

    /** Runs at once, or once more after the run under way; in no trace, because it is not only for the request that pokes. */
    public void poke() {
        if (state == State.IDLE) {
            Tracing.apart(this::begin);
        } else {
            poked = true;
        }
    }

    /** No run begins any more; completes when the one under way is over or given up. */
    public Future<Void> stop() {
        stopped = true;
        vertx.cancelTimer(timer);
        if (state != State.RUNNING) {
            over.tryComplete();
        }
        return over.future();
    }

    private void tick() {
        if (state == State.IDLE) {
            begin();
        }
    }

    private void begin() {
        if (stopped) {
            return;
        }
        state = State.RUNNING;
        poked = false;
        report.began(times.deadline, waitsFor);
        attempt()
                .timeout(times.deadline.toMillis() * GIVEN_UP_AFTER, TimeUnit.MILLISECONDS)
                .onComplete(this::end);
    }

    private Future<?> attempt() {
        try {
            return run.get();
        } catch (RuntimeException thrown) {
            return Future.failedFuture(thrown);
        }
    }

    private void end(AsyncResult<?> outcome) {
        report.ended(outcome);
        tellFailure(outcome);
        state = State.RESTING;
        long rest = outcome.failed() ? FAILED_REST_MILLIS : times.pace.toMillis();
        if (stopped) {
            over.tryComplete();
        } else if (rest > 0) {
            vertx.setTimer(rest, rested -> rested());
        } else {
            vertx.runOnContext(next -> rested()); // not from here: runs that end at once would be one deep stack
        }
    }

    private void tellFailure(AsyncResult<?> outcome) {
        if (outcome.failed() && !failedBefore) {
            LOGGER.atWarn()
                    .setCause(outcome.cause())
                    .log("{} failed, and is tried again", report.status().name());
        }
        failedBefore = outcome.failed();
    }

    private void rested() {
        state = State.IDLE;
        if (poked) {
            begin();
        } else if (failedBefore && times.retry.compareTo(times.period) < 0) {
            vertx.setTimer(times.retry.toMillis(), again -> tick());
        }
    }
}
