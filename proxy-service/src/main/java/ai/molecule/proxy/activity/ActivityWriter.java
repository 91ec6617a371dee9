package ai.molecule.proxy.activity;

import ai.molecule.common.ApiError;
import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.loops.GroupCommit;
import ai.molecule.common.reconcilers.RunReport;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down what was said, in groups and in the order it was added. While PostgreSQL is away a group is tried again with the same
 * ids. What may wait is bounded by {@link BackPressure}, before anything is delivered, so what was delivered is accepted here. To be
 * used on one event loop.
 */
public final class ActivityWriter {

    private static final Logger LOGGER = LoggerFactory.getLogger(ActivityWriter.class);

    private static final Duration RETRY_FIRST = Duration.ofMillis(100);
    private static final Duration RETRY_MAX = Duration.ofSeconds(5);

    /** Nobody waits for a row, and each statement costs as much as ten. What waits is bounded elsewhere, and an outage is waited for however long it takes: each try has a time-out of its own. */
    private static final GroupCommit.Bounds BOUNDS = new GroupCommit.Bounds(
            ActivityLog.ROWS_MAX,
            8L << 20,
            Integer.MAX_VALUE,
            Long.MAX_VALUE,
            Duration.ofMillis(10),
            Duration.ofDays(1));

    /** @param before completes when the canvas may hear of the row */
    private record Entry(ActivityRow row, Future<?> before) {}

    private final Vertx vertx;
    private final ActivityLog log;
    private final Function<List<ActivityRow>, Future<Set<UUID>>> append;
    private final BackPressure pressure;
    private final RunReport report;
    private final Counter refused;
    private final GroupCommit<Entry> group;
    private final Deque<Instant> added = new ArrayDeque<>();

    /** @param append commits rows and answers the ids of those that were new, as {@link ActivityLog#append} does */
    public ActivityWriter(
            Vertx vertx,
            ActivityLog log,
            Function<List<ActivityRow>, Future<Set<UUID>>> append,
            ActivityLimits limits,
            RunReport report,
            MeterRegistry meters) {
        this.vertx = vertx;
        this.log = log;
        this.append = append;
        this.pressure = new BackPressure(vertx, limits);
        this.report = report;
        this.refused = meters.counter("molecule.activity.refused");
        this.group = new GroupCommit<>(
                vertx, BOUNDS, entry -> bytesOf(entry.row), ApiError.platformUnavailable(), this::write);
        Gauge.builder("molecule.activity.waiting", pressure, BackPressure::rows).register(meters);
        Gauge.builder("molecule.activity.oldest.seconds", this, ActivityWriter::oldestSeconds)
                .register(meters);
    }

    /** What holds calls and answers back. */
    public BackPressure pressure() {
        return pressure;
    }

    /** Takes a row about a call that was let in by {@link BackPressure#room}; the canvas hears of it when {@code before} completes. */
    public void add(ActivityRow row, Future<?> before) {
        long bytes = bytesOf(row);
        pressure.added(bytes);
        added.add(Instant.now());
        group.add(new Entry(row, before)).onComplete(done -> {
            added.remove();
            pressure.written(1, bytes);
        });
    }

    /** Writes a row by itself: a message that is its own row, and so either there or not. */
    public Future<Void> keep(ActivityRow row) {
        var rows = List.of(row);
        return append.apply(rows).onSuccess(fresh -> log.committed(rows, fresh)).mapEmpty();
    }

    /** Completes when everything added so far is written, or at the deadline with rows still waiting. */
    public Future<Void> flush(Duration deadline) {
        return group.flush()
                .timeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .onFailure(late -> LOGGER.atError()
                        .addKeyValue("rows", pressure.rows())
                        .log("activity rows were not written before the stop"));
    }

    private Future<Void> write(List<Entry> batch) {
        Promise<Void> written = Promise.promise();
        attempt(batch, RETRY_FIRST, written);
        return written.future();
    }

    private void attempt(List<Entry> batch, Duration pause, Promise<Void> written) {
        append(batch, batch.stream().map(Entry::row).toList())
                .recover(failure -> isOutage(failure) ? Future.failedFuture(failure) : oneByOne(batch, failure))
                .onSuccess(done -> {
                    report.done("wrote %d rows".formatted(batch.size()));
                    written.complete();
                })
                .onFailure(outage -> {
                    report.failed(outage);
                    var next = pause.multipliedBy(2);
                    vertx.setTimer(
                            pause.toMillis(),
                            again -> attempt(batch, next.compareTo(RETRY_MAX) > 0 ? RETRY_MAX : next, written));
                });
    }

    private Future<Void> append(List<Entry> batch, List<ActivityRow> rows) {
        return append.apply(rows)
                .onSuccess(fresh -> {
                    log.arrived(rows, fresh);
                    tell(batch, fresh);
                })
                .mapEmpty();
    }

    private void tell(List<Entry> batch, Set<UUID> fresh) {
        var untold = new HashSet<>(fresh); // a batch may hold the same row twice
        for (var entry : batch) {
            if (untold.remove(entry.row.id())) {
                entry.before.onComplete(may -> log.announce(entry.row));
            }
        }
    }

    /** One bad row must not hold up the others: they are written one by one, and the bad one without its bodies. */
    private Future<Void> oneByOne(List<Entry> batch, Throwable cause) {
        if (batch.size() > 1) {
            Future<Void> done = Future.succeededFuture();
            for (var entry : batch) {
                done = done.compose(before -> append(List.of(entry), List.of(entry.row))
                        .recover(failure ->
                                isOutage(failure) ? Future.failedFuture(failure) : oneByOne(List.of(entry), failure)));
            }
            return done;
        }
        var entry = batch.getFirst();
        return append(batch, List.of(entry.row.withoutBodies()))
                .recover(failure -> isOutage(failure) ? Future.failedFuture(failure) : giveUp(entry.row, cause));
    }

    private Future<Void> giveUp(ActivityRow row, Throwable cause) {
        LOGGER.atError()
                .setCause(cause)
                .addKeyValue("workspaceId", row.workspaceId())
                .addKeyValue("rowId", row.id())
                .log("activity row refused");
        refused.increment();
        return Future.succeededFuture();
    }

    private static boolean isOutage(Throwable failure) {
        return Postgres.outage(failure).isPresent();
    }

    private static long bytesOf(ActivityRow row) {
        return Stream.of(row.requestBody(), row.responseBody(), row.toolTrace())
                .mapToLong(ActivityWriter::length)
                .sum();
    }

    private static long length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }

    private double oldestSeconds() {
        var oldest = added.peek();
        return oldest == null ? 0 : Duration.between(oldest, Instant.now()).toMillis() / 1000.0;
    }
}
