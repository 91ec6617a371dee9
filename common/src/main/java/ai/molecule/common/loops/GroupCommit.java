package ai.molecule.common.loops;

import ai.molecule.common.ApiError;
import ai.molecule.common.tracing.Tracing;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Group commit: what many hand in is written in batches, one at a time, in the order it was handed in; what comes during a batch is
 * the next one. Whoever hands something in learns what became of its batch. To be used on one event loop.
 */
public final class GroupCommit<T> {

    private static final Logger LOGGER = LoggerFactory.getLogger(GroupCommit.class);

    /**
     * @param batchMax items in a batch
     * @param batchBytesMax of their bytes; a single larger item is a batch of its own
     * @param waitingMax items that wait, those of the batch under way among them
     * @param waitingBytesMax of their bytes
     * @param apart how long after one batch began the next one begins at the earliest, unless it is full: what comes seldom does not
     *     wait, what comes often comes together; zero for the end of the event loop's turn
     * @param deadline after which a batch counts as failed, and the next one begins
     */
    public record Bounds(
            int batchMax,
            long batchBytesMax,
            int waitingMax,
            long waitingBytesMax,
            Duration apart,
            Duration deadline) {}

    /**
     * A batch that somebody commits with something of their own.
     *
     * @param outcome to be completed by them with what became of it
     */
    public record Taken<T>(List<T> items, Promise<Void> outcome) {}

    private record Entry<T>(T item, long bytes, Promise<Void> outcome) {}

    private record Flush(long upTo, Promise<Void> done) {}

    private final Vertx vertx;
    private final Bounds bounds;
    private final ToLongFunction<T> bytesOf;
    private final ApiError full;
    private final Function<List<T>, Future<?>> commit;
    private final ArrayDeque<Entry<T>> waiting = new ArrayDeque<>();
    private final ArrayDeque<Flush> flushes = new ArrayDeque<>();
    private int underWay;
    private long bytes;
    private long added;
    private long settled;
    private boolean busy;
    private long begunNanos;
    private boolean arranged;
    private boolean stopped;

    /**
     * @param full the refusal of what there is no room for
     * @param commit gets one batch at a time, never an empty one
     */
    public GroupCommit(
            Vertx vertx, Bounds bounds, ToLongFunction<T> bytesOf, ApiError full, Function<List<T>, Future<?>> commit) {
        this.full = full;
        this.vertx = vertx;
        this.bounds = bounds;
        this.bytesOf = bytesOf;
        this.commit = commit;
        this.begunNanos = System.nanoTime() - bounds.apart.toNanos();
    }

    /** Completes with its batch; fails at once when too much waits already. */
    public Future<Void> add(T item) {
        long size = bytesOf.applyAsLong(item);
        if (stopped) {
            return Future.failedFuture(ApiError.unavailable("shutting down"));
        }
        if (waiting.size() + underWay >= bounds.waitingMax || bytes + size > bounds.waitingBytesMax) {
            return Future.failedFuture(full);
        }
        var entry = new Entry<>(item, size, Promise.<Void>promise());
        waiting.add(entry);
        bytes += size;
        added++;
        if (!busy) {
            beginInTime();
        }
        return Tracing.here(entry.outcome.future());
    }

    /** Completes when all that was added before is written or has failed, whatever is added meanwhile. Never fails. */
    public Future<Void> flush() {
        if (settled == added) {
            return Future.succeededFuture();
        }
        var flush = new Flush(added, Promise.promise());
        flushes.add(flush);
        if (!busy) {
            begin();
        }
        return flush.done.future();
    }

    /** Takes nothing more, and completes when what was taken is written or has failed. */
    public Future<Void> stop() {
        stopped = true;
        return flush();
    }

    /** What waits, as a batch in somebody else's commit; empty while a batch is under way, or where nothing waits. */
    public Optional<Taken<T>> take() {
        if (busy || waiting.isEmpty()) {
            return Optional.empty();
        }
        Promise<Void> outcome = Promise.promise();
        return Optional.of(new Taken<>(begin(items -> outcome.future()), outcome));
    }

    /** Items that are not written yet. */
    public int waiting() {
        return waiting.size() + underWay;
    }

    private void beginInTime() {
        if (stopped || waiting.size() >= bounds.batchMax || bytes >= bounds.batchBytesMax) {
            begin();
        } else if (!arranged) {
            arranged = true;
            long early = bounds.apart.toMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos);
            if (early <= 0) {
                vertx.runOnContext(turnEnds -> beginAsArranged());
            } else {
                vertx.setTimer(early, late -> beginAsArranged());
            }
        }
    }

    private void beginAsArranged() {
        arranged = false;
        if (!busy && !waiting.isEmpty()) {
            begin();
        }
    }

    private void begin() {
        begin(commit);
    }

    private List<T> begin(Function<List<T>, Future<?>> write) {
        busy = true;
        begunNanos = System.nanoTime();
        var batch = next();
        underWay = batch.size();
        var items = batch.stream().map(Entry::item).toList();
        attempt(write, items)
                .timeout(bounds.deadline.toMillis(), TimeUnit.MILLISECONDS)
                .onComplete(outcome -> end(batch, outcome));
        return items;
    }

    private List<Entry<T>> next() {
        List<Entry<T>> batch = new ArrayList<>();
        long size = 0;
        while (!waiting.isEmpty() && batch.size() < bounds.batchMax) {
            size += waiting.peek().bytes;
            if (!batch.isEmpty() && size > bounds.batchBytesMax) {
                break;
            }
            batch.add(waiting.remove());
        }
        return batch;
    }

    private static <T> Future<?> attempt(Function<List<T>, Future<?>> write, List<T> items) {
        try {
            return write.apply(items);
        } catch (RuntimeException thrown) {
            return Future.failedFuture(thrown);
        }
    }

    private void end(List<Entry<T>> batch, AsyncResult<?> outcome) {
        busy = false;
        underWay = 0;
        settled += batch.size();
        batch.forEach(entry -> bytes -= entry.bytes);
        batch.forEach(entry -> tell(entry.outcome, outcome));
        while (!flushes.isEmpty() && flushes.peek().upTo <= settled) {
            tell(flushes.remove().done, Future.succeededFuture());
        }
        if (busy || waiting.isEmpty()) { // whoever was told may have begun one
            return;
        }
        if (flushes.isEmpty() && !bounds.apart.isZero()) {
            beginInTime();
        } else {
            begin();
        }
    }

    /** One who throws on hearing it is no reason for the others not to hear. */
    private static void tell(Promise<Void> asker, AsyncResult<?> outcome) {
        try {
            if (outcome.succeeded()) {
                asker.complete();
            } else {
                asker.fail(outcome.cause());
            }
        } catch (RuntimeException thrown) {
            LOGGER.atError().setCause(thrown).log("hearing of a batch failed");
        }
    }
}
