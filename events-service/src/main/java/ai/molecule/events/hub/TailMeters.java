package ai.molecule.events.hub;

import ai.molecule.common.events.Event;
import ai.molecule.events.log.LoggedEvent;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * {@code molecule_events_published_total} by type, which counts starts, deaths and verdicts of liveness too, and
 * {@code molecule_events_lag_seconds}: from the transaction that recorded an event to its way out to who listens. Each replica
 * counts every event.
 */
public final class TailMeters {

    private final MeterRegistry meters;
    private final Clock clock;
    private final Timer lag;

    public TailMeters(MeterRegistry meters, Clock clock) {
        this.meters = meters;
        this.clock = clock;
        this.lag = Timer.builder("molecule.events.lag").register(meters);
    }

    void published(List<LoggedEvent> page) {
        var now = clock.instant();
        for (var logged : page) {
            Event event = logged.event();
            meters.counter("molecule.events.published", "type", event.type()).increment();
            var took = Duration.between(event.timestamp(), now);
            lag.record(took.isNegative() ? Duration.ZERO : took);
        }
    }
}
