package ai.molecule.proxy.activity;

import ai.molecule.common.reconcilers.RunReport;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells of what killed proxies lost, at the start and every 5 s: on the log, and in {@code molecule.activity.lost} and {@code molecule.calls.lost}. */
public final class Losses {

    private static final Logger LOGGER = LoggerFactory.getLogger(Losses.class);

    private static final Duration EVERY = Duration.ofSeconds(5);

    private final Vertx vertx;
    private final Path folder;
    private final RunReport report;
    private final Counter rows;
    private final Counter calls;
    private long timer = -1;

    /** @param folder where the tallies are */
    public Losses(Vertx vertx, Path folder, RunReport report, MeterRegistry meters) {
        this.vertx = vertx;
        this.folder = folder;
        this.report = report;
        this.rows = meters.counter("molecule.activity.lost");
        this.calls = meters.counter("molecule.calls.lost");
    }

    public void start() {
        timer = vertx.setPeriodic(1, EVERY.toMillis(), tick -> look());
    }

    public void stop() {
        vertx.cancelTimer(timer);
    }

    private void look() {
        var run = vertx.executeBlocking(() -> Tally.ofTheDead(folder)).map(losses -> {
            losses.forEach(this::tell);
            return losses.size();
        });
        report.follow(run);
        run.onFailure(failure -> LOGGER.atWarn().setCause(failure).log("losses of killed proxies cannot be read"));
    }

    private void tell(Tally.Loss loss) {
        rows.increment(loss.rows());
        calls.increment(loss.calls());
        LOGGER.atWarn()
                .addKeyValue("proxy", loss.proxy())
                .addKeyValue("rowsAtMost", loss.rows())
                .addKeyValue("callsAtMost", loss.calls())
                .log("a proxy was killed: activity rows that it had not handed over and calls at their agents");
    }
}
