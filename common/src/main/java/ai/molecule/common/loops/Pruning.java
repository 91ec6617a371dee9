package ai.molecule.common.loops;

import ai.molecule.common.reconcilers.RunReport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.IntFunction;

/**
 * Deletes what was kept for long enough: a bounded batch soon after the start and at every period, and the next batch at once while one was
 * full, so that a table that is filled faster than a batch a period does not grow for ever. What a batch deletes is locked with
 * {@code SKIP LOCKED}: replicas that prune at the same time delete different rows and wait for nobody. To be used on one event loop.
 */
public final class Pruning {

    /** Soon, because a platform that runs for a while each day has to prune as well; not at once, when everything else begins. */
    private static final Duration FIRST = Duration.ofSeconds(5);

    /** Between full batches, in which other statements have their turn. */
    private static final Duration PACE = Duration.ofMillis(100);

    /** No statement runs for longer than 10 s. */
    private static final Duration DEADLINE = Duration.ofSeconds(12);

    private final Vertx vertx;
    private final Duration first;
    private final int batchMax;
    private final IntFunction<Future<Integer>> batch;
    private final Loop loop;

    /**
     * @param batchMax rows of one batch at most
     * @param batch deletes so many at most, and completes with how many it deleted
     */
    public Pruning(Vertx vertx, RunReport report, Duration period, int batchMax, IntFunction<Future<Integer>> batch) {
        this(vertx, report, period, FIRST, batchMax, batch);
    }

    Pruning(
            Vertx vertx,
            RunReport report,
            Duration period,
            Duration first,
            int batchMax,
            IntFunction<Future<Integer>> batch) {
        this.vertx = vertx;
        this.first = first;
        this.batchMax = batchMax;
        this.batch = batch;
        this.loop = new Loop(vertx, report, "PostgreSQL", new Loop.Times(period, PACE, DEADLINE), this::prune);
    }

    /** Prunes on the calling context from now on. */
    public Pruning start() {
        loop.start();
        vertx.setTimer(first.toMillis(), soon -> loop.poke());
        return this;
    }

    /** No batch begins any more; completes when the one under way is over or given up. */
    public Future<Void> stop() {
        return loop.stop();
    }

    private Future<Integer> prune() {
        return batch.apply(batchMax).onSuccess(deleted -> {
            if (deleted >= batchMax) {
                loop.poke();
            }
        });
    }
}
