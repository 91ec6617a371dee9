package ai.molecule.proxy.schedules;

import ai.molecule.proxy.leases.LeaseRunner;
import java.time.Duration;

/**
 * @param lease how long a replica may be silent before another one fires what it had in its hands
 * @param tick how late a tick is looked at; while nothing is due that is one look into an index
 * @param underWayMax transactions of one replica at a time; more would only wait for connections
 * @param settle how often runs are looked for whose message left the queue without a word
 * @param untoldAfter how long ago that was then: the queue tells of an end before it writes it down
 */
public record ScheduleLimits(Duration lease, Duration tick, int underWayMax, Duration settle, Duration untoldAfter) {

    public static final ScheduleLimits DEFAULT = new ScheduleLimits(
            Duration.ofSeconds(10), Duration.ofSeconds(1), 16, Duration.ofSeconds(2), Duration.ofSeconds(5));

    LeaseRunner.Pace pace() {
        return new LeaseRunner.Pace(lease, tick, underWayMax);
    }
}
