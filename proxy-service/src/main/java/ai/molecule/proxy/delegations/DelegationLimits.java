package ai.molecule.proxy.delegations;

import ai.molecule.proxy.leases.LeaseRunner;
import java.time.Duration;

/**
 * @param tries how often a target that was not reached is tried at all
 * @param firstRetry the pause before the second try, doubled before each further one
 * @param deadline after which a delegation without an outcome is failed
 * @param lease how long a replica may be silent before another one takes over
 * @param tick how often due work is looked for without a poke, and how soon a platform that is away is tried again
 * @param lookEvery the pause between two questions to an agent about a lost answer
 * @param lookups questions in vain before the outcome is unknown, half as many to an agent that does not know the message; the pause doubles
 *     with each
 * @param underWayMax delegations in one replica's hands
 * @param keep how long finished ones are listed
 */
public record DelegationLimits(
        int tries,
        Duration firstRetry,
        Duration deadline,
        Duration lease,
        Duration tick,
        Duration lookEvery,
        int lookups,
        int underWayMax,
        Duration keep) {

    /** 8 s is what a restart takes; a minute of questions outlasts one. Activity is kept seven days as well. */
    public static final DelegationLimits DEFAULT = new DelegationLimits(
            3,
            Duration.ofSeconds(8),
            Duration.ofMinutes(30),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            6,
            256,
            Duration.ofDays(7));

    public LeaseRunner.Pace pace() {
        return new LeaseRunner.Pace(lease, tick, underWayMax);
    }

    Duration pauseBeforeTry(int tries) {
        return firstRetry.multipliedBy(1L << Math.min(tries, 10));
    }

    Duration pauseBeforeLookup(int lookups) {
        return lookEvery.multipliedBy(1L << Math.min(lookups, 10));
    }
}
