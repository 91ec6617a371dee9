package ai.molecule.proxy.queue;

import ai.molecule.proxy.leases.LeaseRunner;
import java.time.Duration;

/**
 * @param depthMax messages waiting for one target; further ones are refused
 * @param attemptsMax how often a message is taken to its target before it is given up
 * @param expiry how long a message waits at most
 * @param look the pause before the first look without a sign of capacity, doubled after each attempt
 * @param lookups questions about a lost answer before the outcome is unknown
 * @param lease how long a replica may be silent before another one takes over
 * @param tick how often due messages are looked for, and a target's capacity is asked for
 * @param underWayMax messages in one replica's hands
 * @param keep how long ended ones are remembered
 */
public record QueueLimits(
        int depthMax,
        int attemptsMax,
        Duration expiry,
        Duration look,
        int lookups,
        Duration lease,
        Duration tick,
        int underWayMax,
        Duration keep) {

    public static final QueueLimits DEFAULT = new QueueLimits(
            100,
            5,
            Duration.ofMinutes(30),
            Duration.ofSeconds(15),
            4,
            Duration.ofSeconds(10),
            Duration.ofSeconds(2),
            128,
            Duration.ofDays(1));

    public LeaseRunner.Pace pace() {
        return new LeaseRunner.Pace(lease, tick, underWayMax);
    }

    /** Of a workspace; the person may fill the queue. */
    int ofOneCallerMax() {
        return Math.max(1, depthMax / 4);
    }

    Duration pauseAfter(int attempts) {
        return look.multipliedBy(1L << Math.min(attempts, 10));
    }
}
