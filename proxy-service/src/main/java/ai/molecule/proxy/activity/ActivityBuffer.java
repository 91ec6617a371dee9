package ai.molecule.proxy.activity;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.events.AppendActivity;
import ai.molecule.common.bus.events.AppendActivity.Row;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.common.tracing.Tracing;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows on their way to events-service, in the order they were added: at most 128 and 8 Mi characters per batch, one batch in
 * flight, the next as soon as it returns. While events-service is away a batch is tried again with the same ids. The bound is
 * kept by {@link #room}: calls wait there before anything is delivered, so what was delivered is always accepted here. To be
 * used on one event loop.
 */
public final class ActivityBuffer {

    private static final Logger LOGGER = LoggerFactory.getLogger(ActivityBuffer.class);

    /** Larger batches raised p99 to 31 ms and more; also the contract's own bound. */
    private static final int BATCH_ROWS_MAX = 128;

    private static final long BATCH_CHARS_MAX = 8L << 20;
    private static final Duration AHEAD_MAX = Duration.ofSeconds(1);
    private static final Duration RETRY_FIRST = Duration.ofMillis(100);
    private static final Duration RETRY_MAX = Duration.ofSeconds(5);

    /** Calls held back at one time; each holds a request of at most 1 MiB. */
    private static final int WAITING_MAX = 1024;

    private final Vertx vertx;
    private final Bus bus;
    private final ActivityLimits limits;
    private final Counter refused;
    private final Deque<Row> rows = new ArrayDeque<>();
    private final Deque<Promise<Void>> waiting = new ArrayDeque<>();
    private final List<Promise<Void>> flushes = new ArrayList<>();
    private long chars;
    private Runnable whenAdded = () -> {};
    private Consumer<List<UUID>> whenWritten = ids -> {};
    private Future<?> ahead = Future.succeededFuture();
    private boolean sending;
    private int oneByOne;
    private Duration retry = RETRY_FIRST;
    private @Nullable RunReport report;

    public ActivityBuffer(Vertx vertx, Bus bus, ActivityLimits limits, MeterRegistry meters) {
        this.vertx = vertx;
        this.bus = bus;
        this.limits = limits;
        this.refused = meters.counter("molecule.activity.refused");
        Gauge.builder("molecule.activity.waiting", rows, Deque::size).register(meters);
        Gauge.builder("molecule.activity.oldest.seconds", this, ActivityBuffer::oldestSeconds)
                .register(meters);
    }

    /** Has the report say how writing goes. */
    public void reportTo(RunReport report) {
        this.report = report;
    }

    /**
     * Completes when another call may be made: at once while there is room, in turn when rows were written, and with
     * {@code platform_unavailable} when that takes longer than the limits' patience.
     */
    public Future<Void> room() {
        if (hasRoom() && waiting.isEmpty()) {
            return Future.succeededFuture();
        }
        if (waiting.size() >= WAITING_MAX) {
            return Future.failedFuture(ApiError.platformUnavailable());
        }
        Promise<Void> turn = Promise.promise();
        waiting.add(turn);
        long timer = vertx.setTimer(limits.patience().toMillis(), late -> {
            waiting.remove(turn);
            turn.tryFail(ApiError.platformUnavailable());
        });
        return Tracing.here(turn.future()).onComplete(done -> vertx.cancelTimer(timer));
    }

    /** Takes a row about a call that was let in by {@link #room}. */
    public void add(Row row) {
        rows.add(row);
        chars += charsOf(row);
        whenAdded.run();
        send();
    }

    /** As {@link #add(Row)}; the row does not leave before {@code ahead} has completed, or a second has passed. */
    public void add(Row row, Future<?> ahead) {
        this.ahead = this.ahead.isComplete() ? ahead : Future.join(this.ahead, ahead);
        add(row);
    }

    /** Completes when everything added so far is written, or fails at the deadline with rows still waiting. */
    public Future<Void> flush(Duration deadline) {
        if (rows.isEmpty()) {
            return Future.succeededFuture();
        }
        Promise<Void> flushed = Promise.promise();
        flushes.add(flushed);
        send();
        return flushed.future()
                .timeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .onFailure(late -> LOGGER.atError()
                        .addKeyValue("rows", rows.size())
                        .log("activity rows were not written before the stop"));
    }

    /** Sets the one listener that is told which rows came and which were taken or given up. */
    void watch(Runnable added, Consumer<List<UUID>> written) {
        whenAdded = added;
        whenWritten = written;
    }

    int size() {
        return rows.size();
    }

    /** What events-service has not taken yet, in order. */
    Stream<Row> waiting() {
        return rows.stream();
    }

    private boolean hasRoom() {
        return rows.size() < limits.rowsMax() && chars < limits.charsMax();
    }

    private void send() {
        if (sending || rows.isEmpty()) {
            return;
        }
        sending = true;
        var batch = nextBatch();
        var before = ahead;
        if (before.isComplete()) {
            call(batch);
        } else {
            before.timeout(AHEAD_MAX.toMillis(), TimeUnit.MILLISECONDS).onComplete(done -> call(batch));
        }
    }

    private void call(List<Row> batch) {
        bus.call(AppendActivity.CONTRACT, new AppendActivity(batch)).onComplete(done -> {
            if (done.succeeded()) {
                retry = RETRY_FIRST;
                if (report != null) {
                    report.done("wrote %d rows".formatted(batch.size()));
                }
                written(batch.size());
            } else if (isAway(done.cause())) {
                if (report != null) {
                    report.failed(done.cause());
                }
                tryAgainLater();
            } else {
                refused(batch, done.cause());
            }
        });
    }

    private List<Row> nextBatch() {
        List<Row> batch = new ArrayList<>();
        int rowsMax = oneByOne > 0 ? 1 : BATCH_ROWS_MAX;
        long size = 0;
        for (var row : rows) {
            size += charsOf(row);
            if (batch.size() == rowsMax || (!batch.isEmpty() && size > BATCH_CHARS_MAX)) {
                break;
            }
            batch.add(row);
        }
        return batch;
    }

    private void written(int count) {
        List<UUID> ids = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            var row = rows.remove();
            chars -= charsOf(row);
            ids.add(row.id());
        }
        whenWritten.accept(ids);
        oneByOne = Math.max(0, oneByOne - count);
        sending = false;
        // as many as rows left, because each will add one; and everybody when no row is left that could let the next in
        for (int i = 0; (i < count || rows.isEmpty()) && hasRoom() && !waiting.isEmpty(); i++) {
            waiting.remove().tryComplete();
        }
        if (rows.isEmpty()) {
            flushes.forEach(Promise::tryComplete);
            flushes.clear();
        }
        send();
    }

    private void tryAgainLater() {
        vertx.setTimer(retry.toMillis(), again -> {
            sending = false;
            send();
        });
        retry = retry.multipliedBy(2).compareTo(RETRY_MAX) > 0 ? RETRY_MAX : retry.multipliedBy(2);
    }

    /** One bad row must not hold up the others: the batch is sent row by row, and the bad one without its bodies. */
    private void refused(List<Row> batch, Throwable cause) {
        var first = batch.getFirst();
        sending = false;
        if (batch.size() > 1) {
            oneByOne = batch.size();
        } else if (charsOf(first) > 0) {
            rows.remove();
            chars -= charsOf(first);
            rows.addFirst(withoutBodies(first));
        } else {
            LOGGER.atError()
                    .setCause(cause)
                    .addKeyValue("workspaceId", first.workspaceId())
                    .addKeyValue("rowId", first.id())
                    .log("activity row refused");
            refused.increment();
            written(1);
        }
        send();
    }

    private static boolean isAway(Throwable cause) {
        return cause instanceof ApiError error && error.kind() == ApiError.Kind.UNAVAILABLE;
    }

    private static Row withoutBodies(Row row) {
        return new Row(
                row.id(),
                row.workspaceId(),
                row.activityType(),
                row.sourceId(),
                row.targetId(),
                row.method(),
                row.summary(),
                null,
                null,
                null,
                row.durationMs(),
                row.status(),
                row.errorDetail(),
                row.idempotencyKey(),
                row.createdAt(),
                row.announce());
    }

    private static long charsOf(Row row) {
        return length(row.requestBody()) + length(row.responseBody()) + length(row.toolTrace());
    }

    private static long length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    private double oldestSeconds() {
        var oldest = rows.peek();
        return oldest == null
                ? 0
                : Duration.between(oldest.createdAt(), Instant.now()).toMillis() / 1000.0;
    }
}
