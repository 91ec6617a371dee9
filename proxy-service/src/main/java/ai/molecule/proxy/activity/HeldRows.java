package ai.molecule.proxy.activity;

import ai.molecule.common.bus.events.AppendActivity.Row;
import ai.molecule.common.reconcilers.RunReport;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves activity rows from the death of their proxy: what events-service has not taken within {@link #YOUNG} is written to a
 * table, and rows that a dead proxy left there are sent on. So a kill loses the rows of the last 100 ms at most, as long as the
 * database answers; sending one twice changes nothing, because its id is stored once.
 *
 * <p>While the database is away rows are nowhere but in this process: as many as {@link ActivityBuffer#room} lets gather, shown by
 * {@code molecule.activity.exposed}, and held within a second of its return. To be used on one event loop.
 */
public final class HeldRows {

    private static final Logger LOGGER = LoggerFactory.getLogger(HeldRows.class);

    /** With {@link #LOOK_MILLIS} and a statement that makes 100 ms. */
    private static final Duration YOUNG = Duration.ofMillis(50);

    private static final long LOOK_MILLIS = 25;

    /** Rows of one statement. At 8,000 rows a second, which is what we aim at, 25 ms bring 200. */
    private static final int ROWS_MAX = 512;

    private static final long AGAIN_MILLIS = 1_000;

    /** A statement whose answer is lost is given up, and made again. */
    private static final long HOLD_MILLIS_MAX = 5_000;

    private static final long ADOPT_MILLIS = 1_000;
    private static final int ADOPTED_MAX = 128;

    private final Vertx vertx;
    private final HeldRowStore store;
    private final UUID owner;
    private final Duration lease;
    private final Clock clock;
    private final ActivityBuffer buffer;
    private final Tally tally;
    private final RunReport report;
    private final Counter heldCount;
    private final Counter adoptedCount;
    private final Set<UUID> held = new HashSet<>();
    private boolean holding;
    private boolean adopting;
    private long lookTimer = -1;
    private long adoptTimer = -1;

    /** @param lease a proxy not seen for so long is dead */
    public HeldRows(
            Vertx vertx,
            HeldRowStore store,
            UUID owner,
            Duration lease,
            Clock clock,
            ActivityBuffer buffer,
            Tally tally,
            RunReport report,
            MeterRegistry meters) {
        this.vertx = vertx;
        this.store = store;
        this.owner = owner;
        this.lease = lease;
        this.clock = clock;
        this.buffer = buffer;
        this.tally = tally;
        this.report = report;
        this.heldCount = meters.counter("molecule.activity.held");
        this.adoptedCount = meters.counter("molecule.activity.adopted");
        Gauge.builder("molecule.activity.exposed", this, rows -> rows.exposed().count())
                .register(meters);
    }

    /** To be called once other replicas can see that this one lives. */
    public void start() {
        buffer.watch(this::count, this::written);
        lookTimer = vertx.setPeriodic(LOOK_MILLIS, tick -> look());
        adoptTimer = vertx.setPeriodic(ADOPT_MILLIS, tick -> adopt());
    }

    public void stop() {
        vertx.cancelTimer(lookTimer);
        vertx.cancelTimer(adoptTimer);
    }

    private void look() {
        if (holding) {
            return;
        }
        List<Row> exposed = exposed().limit(ROWS_MAX).toList();
        if (exposed.isEmpty()) {
            return;
        }
        holding = true;
        var saved = store.hold(owner, exposed).timeout(HOLD_MILLIS_MAX, TimeUnit.MILLISECONDS);
        saved.onComplete(done -> {
            if (done.failed()) {
                vertx.setTimer(AGAIN_MILLIS, later -> holding = false);
                LOGGER.atWarn()
                        .setCause(done.cause())
                        .addKeyValue("rows", exposed.size())
                        .log("activity rows are not held");
                return;
            }
            holding = false;
            heldCount.increment(exposed.size());
            exposed.forEach(row -> held.add(row.id()));
            Set<UUID> still = new HashSet<>();
            buffer.waiting().forEach(row -> still.add(row.id()));
            written(exposed.stream()
                    .map(Row::id)
                    .filter(id -> !still.contains(id))
                    .toList());
        });
    }

    /** Tells how many rows a kill at this moment would lose, not counting the youngest. */
    private Stream<Row> exposed() {
        var youngest = clock.instant().minus(YOUNG);
        return buffer.waiting().filter(row -> row.createdAt().isBefore(youngest) && !held.contains(row.id()));
    }

    /** When a release is lost its rows are sent again, which changes nothing. */
    private void written(List<UUID> ids) {
        List<UUID> kept = ids.stream().filter(held::remove).toList();
        count();
        if (!kept.isEmpty()) {
            store.release(kept);
        }
    }

    /** Every held row waits too. */
    private void count() {
        tally.rows(buffer.size() - held.size());
    }

    private void adopt() {
        if (adopting || holding) {
            return;
        }
        adopting = true;
        var run = adopted();
        report.follow(run);
        run.onComplete(done -> {
            adopting = false;
            if (done.failed()) {
                LOGGER.atWarn()
                        .setCause(done.cause())
                        .log("activity rows of dead proxies are not sent on, trying again");
            }
        });
    }

    private Future<Integer> adopted() {
        return store.adopt(owner, Set.copyOf(held), lease, ADOPTED_MAX).map(rows -> {
            adoptedCount.increment(rows.size());
            rows.forEach(row -> {
                held.add(row.id());
                buffer.add(row);
            });
            return rows.size();
        });
    }
}
