package ai.molecule.registry.heartbeats;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.CapacityWanted;
import ai.molecule.common.bus.hints.DrainQueue;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the proxy of a heartbeat that shows capacity, for workspaces the proxy has messages for. Everybody else's heartbeats cost
 * nothing more. To be used on one event loop.
 */
final class CapacityHints {

    private static final Logger LOGGER = LoggerFactory.getLogger(CapacityHints.class);

    /** Three times as long as the proxy takes to say it again. */
    private static final Duration REMEMBERED = Duration.ofSeconds(30);

    private static final int WANTED_MAX = 10_000;

    private final Bus bus;
    private final PgHeartbeatStore store;
    private final Clock clock;
    private final Map<UUID, Instant> wanted = new HashMap<>();

    CapacityHints(Bus bus, PgHeartbeatStore store, Clock clock) {
        this.bus = bus;
        this.store = store;
        this.clock = clock;
        bus.listen(CapacityWanted.HINT, this::want);
    }

    /** After their heartbeats were committed. */
    void heard(Collection<UUID> workspaceIds) {
        if (wanted.isEmpty()) {
            return;
        }
        var now = clock.instant();
        wanted.values().removeIf(until -> until.isBefore(now));
        List<UUID> asked = workspaceIds.stream().filter(wanted::containsKey).toList();
        if (!asked.isEmpty()) {
            store.withCapacity(asked)
                    .onSuccess(free -> free.forEach(id -> bus.poke(DrainQueue.HINT, new DrainQueue(id))))
                    .onFailure(failure -> LOGGER.atWarn().setCause(failure).log("capacity not known"));
        }
    }

    private void want(CapacityWanted hint) {
        var until = clock.instant().plus(REMEMBERED);
        for (var id : hint.workspaceIds()) {
            if (wanted.size() < WANTED_MAX || wanted.containsKey(id)) {
                wanted.put(id, until);
            }
        }
    }
}
