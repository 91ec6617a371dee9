package ai.molecule.proxy.push;

import ai.molecule.proxy.leases.LeaseRunner.Pace;
import java.time.Duration;

/**
 * What push notifications may take.
 *
 * @param looks how tasks are claimed to be looked at
 * @param deliveries how receivers are claimed to be told
 * @param lookMin after a change a task is looked at again so soon, then at a quarter of the time since the change
 * @param lookMax and at least so often
 * @param answer within which a receiver has to answer
 * @param backOff after the first failure, doubled by each further one
 * @param backOffMax and never longer
 * @param attemptsMax after which a notification is given up
 * @param ofTaskMax receivers of one task
 * @param ofWorkspaceMax receivers of all tasks of one agent that are not over
 * @param waitingMax notifications that wait for one receiver; the oldest ones give way
 * @param bodyMaxBytes of one notification; a larger task is told without its artifacts
 * @param keep how long after its last change a task's receivers are kept
 */
public record PushLimits(
        Pace looks,
        Pace deliveries,
        Duration lookMin,
        Duration lookMax,
        Duration answer,
        Duration backOff,
        Duration backOffMax,
        int attemptsMax,
        int ofTaskMax,
        int ofWorkspaceMax,
        int waitingMax,
        int bodyMaxBytes,
        Duration keep) {

    public static final PushLimits DEFAULT = new PushLimits(
            new Pace(Duration.ofSeconds(15), Duration.ofSeconds(1), 64),
            new Pace(Duration.ofSeconds(30), Duration.ofSeconds(1), 64),
            Duration.ofSeconds(1),
            Duration.ofSeconds(15),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            Duration.ofMinutes(5),
            12,
            10,
            200,
            16,
            64 * 1024,
            Duration.ofDays(7));

    /** @param attempt from 1 */
    Duration pauseAfter(int attempt) {
        var pause = backOff.multipliedBy(1L << Math.min(20, attempt - 1));
        return pause.compareTo(backOffMax) > 0 ? backOffMax : pause;
    }

    Duration lookAfter(Duration sinceChange) {
        var pause = sinceChange.dividedBy(4);
        return pause.compareTo(lookMin) < 0 ? lookMin : pause.compareTo(lookMax) > 0 ? lookMax : pause;
    }
}
