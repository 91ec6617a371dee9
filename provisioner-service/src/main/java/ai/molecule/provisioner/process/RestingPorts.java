package ai.molecule.provisioner.process;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ports that an agent had until a moment ago. A gateway that has not heard of the change still sends that agent's messages there, so no other
 * agent gets one of them. Of a provisioner that was started again in between nothing is known.
 */
final class RestingPorts {

    /** Gateways remember an address for 30 s, while the registry is away for as long again. */
    static final Duration REST = Duration.ofMinutes(2);

    private final InstantSource clock;

    /** At most as many as there are ports. */
    private final Map<Integer, Instant> since = new ConcurrentHashMap<>();

    RestingPorts(InstantSource clock) {
        this.clock = clock;
    }

    void add(int port) {
        since.put(port, clock.instant());
    }

    /** Those that are taken and those that rest. */
    Set<Integer> with(Set<Integer> taken) {
        var over = clock.instant().minus(REST);
        since.values().removeIf(released -> !released.isAfter(over));
        Set<Integer> all = new HashSet<>(taken);
        all.addAll(since.keySet());
        return all;
    }
}
