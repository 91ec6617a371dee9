package ai.molecule.events.hub;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.EventsNumbered;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.events.log.LogStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Feeds the hub: recorded events by position from the log, when the sequencer hints and on a timer anyway, and ephemeral ones
 * from the bus. One read at a time; a failed one is repeated by the timer.
 */
public final class LogTail {

    private static final Logger LOGGER = LoggerFactory.getLogger(LogTail.class);

    private static final long TICK_MILLIS = 250;

    /** Small enough that sockets drain between two pages. */
    private static final int PAGE_MAX = 200;

    private final Vertx vertx;
    private final LogStore log;
    private final Hub hub;
    private final Bus bus;
    private final RunReport report;
    private final TailMeters meters;
    private final Duration readMax;
    private boolean reading;
    private boolean again;
    private boolean stopped;

    public LogTail(Vertx vertx, LogStore log, Hub hub, Bus bus, RunReport report, TailMeters meters) {
        this(vertx, log, hub, bus, report, meters, Hub.READ_MAX);
    }

    /** @param readMax how long a read may take: one that is never answered must not keep the next from being asked */
    LogTail(Vertx vertx, LogStore log, Hub hub, Bus bus, RunReport report, TailMeters meters, Duration readMax) {
        this.readMax = readMax;
        this.report = report;
        this.meters = meters;
        this.vertx = vertx;
        this.log = log;
        this.hub = hub;
        this.bus = bus;
    }

    /** Starts at the log's present end, on the calling context. */
    public Future<Void> start() {
        return log.last().map(last -> {
            hub.startAt(last);
            bus.listen(EventsNumbered.HINT, numbered -> {
                if (numbered.seq() > hub.position()) {
                    read();
                }
            });
            bus.listen(LiveEvent.HINT, live -> hub.publish(live.toEvent()));
            vertx.setPeriodic(TICK_MILLIS, timer -> read());
            return null;
        });
    }

    public void stop() {
        stopped = true;
    }

    private void read() {
        if (stopped) {
            return;
        }
        if (reading) {
            again = true;
            return;
        }
        reading = true;
        log.after(hub.position(), PAGE_MAX, null)
                .timeout(readMax.toMillis(), TimeUnit.MILLISECONDS)
                .onSuccess(page -> {
                    hub.publish(page);
                    meters.published(page);
                    report.done("read %d events".formatted(page.size()));
                })
                .onFailure(report::failed)
                .onFailure(failure -> LOGGER.atWarn().setCause(failure).log("event log could not be read"))
                .onComplete(done -> {
                    reading = false;
                    if (done.succeeded() && (again || done.result().size() == PAGE_MAX)) {
                        again = false;
                        read();
                    }
                });
    }
}
