package ai.molecule.events.notifications;

import java.time.Duration;

/**
 * How long a target that does not take what it is told is tried.
 *
 * @param pause after the first try; it doubles
 * @param pauseMax between two tries
 * @param keep after which a notification is given up
 */
record Patience(Duration pause, Duration pauseMax, Duration keep) {

    static final Patience DEFAULT = new Patience(Duration.ofSeconds(10), Duration.ofMinutes(30), Duration.ofDays(3));

    /** @param attempts at least one */
    Duration pauseAfter(int attempts) {
        var next = pause.multipliedBy(1L << Math.min(attempts - 1, 20));
        return next.compareTo(pauseMax) < 0 ? next : pauseMax;
    }
}
