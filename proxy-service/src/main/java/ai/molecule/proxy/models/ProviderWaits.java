package ai.molecule.proxy.models;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import java.time.Clock;
import java.time.Duration;

/** Tells the canvas that a provider makes an agent wait ({@code MODEL_WAITING}), so that nobody takes the silence for work. */
final class ProviderWaits {

    /** What is shorter nobody sees. */
    private static final Duration TOLD_MIN = Duration.ofSeconds(1);

    private final Bus bus;
    private final Clock clock;

    ProviderWaits(Bus bus, Clock clock) {
        this.bus = bus;
        this.clock = clock;
    }

    /** @param pause as long as the provider asked for, or as it is waited before the call is sent again */
    void tell(PlannedCall call, Duration pause) {
        if (pause.compareTo(TOLD_MIN) < 0) {
            return;
        }
        var now = clock.instant();
        var payload = Json.object()
                .put("provider", call.chosen().provider().name())
                .put("seconds", pause.plusMillis(999).toSeconds())
                .put("until", Json.time(now.plus(pause)));
        new LiveEvent("MODEL_WAITING", call.workspaceId(), now, payload).publishOn(bus);
    }
}
