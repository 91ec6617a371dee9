package ai.molecule.events.hub;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.EventsNumbered;
import ai.molecule.common.events.LiveEvents;
import ai.molecule.common.loops.Loop;
import ai.molecule.common.reconcilers.RunReport;
import ai.molecule.events.log.LogStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Feeds the hub: recorded events by position from the log, when the sequencer hints and on a timer anyway, and ephemeral ones
 * from the bus. One read at a time.
 */
public final class LogTail {

    private static final Duration TICK = Duration.ofMillis(250);

    /** Small enough that sockets drain between two pages. */
    private static final int PAGE_MAX = 200;

    private final LogStore log;
    private final Hub hub;
    private final Bus bus;
    private final TailMeters meters;
    private final Duration readMax;
    private final Loop loop;

    public LogTail(Vertx vertx, LogStore log, Hub hub, Bus bus, RunReport report, TailMeters meters) {
        this(vertx, log, hub, bus, report, meters, Hub.READ_MAX);
    }

    /** @param readMax how long a read may take: one that is never answered must not keep the next from being asked */
    LogTail(Vertx vertx, LogStore log, Hub hub, Bus bus, RunReport report, TailMeters meters, Duration readMax) {
        this.readMax = readMax;
        this.meters = meters;
        this.log = log;
        this.hub = hub;
        this.bus = bus;
        this.loop = new Loop(vertx, report, "PostgreSQL", new Loop.Times(TICK, readMax), this::read);
    }

    /** Starts at the log's present end, on the calling context. */
    public Future<Void> start() {
        return log.last().map(last -> {
            hub.startAt(last);
            bus.listen(EventsNumbered.HINT, numbered -> {
                if (numbered.seq() > hub.position()) {
                    loop.poke();
                }
            });
            bus.listen(LiveEvents.HINT, several -> several.events().forEach(live -> hub.publish(live.toEvent())));
            loop.start();
            return null;
        });
    }

    public Future<Void> stop() {
        return loop.stop();
    }

    private Future<String> read() {
        return log.after(hub.position(), PAGE_MAX, null)
                .timeout(readMax.toMillis(), TimeUnit.MILLISECONDS)
                .map(page -> {
                    hub.publish(page);
                    meters.published(page);
                    if (page.size() == PAGE_MAX) {
                        loop.poke();
                    }
                    return "read %d events".formatted(page.size());
                });
    }
}
