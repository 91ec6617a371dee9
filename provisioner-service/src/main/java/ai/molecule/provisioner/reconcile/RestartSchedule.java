package ai.molecule.provisioner.reconcile;

import ai.molecule.provisioner.instances.Instance;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When an agent that died starts again, and when it no longer does.
 *
 * @param base the first wait; it doubles with every further death
 * @param cap the longest wait, before jitter
 * @param deathsMax with this many deaths within {@code window} the agent is given up
 * @param window also: an agent that ran this long is stable, and its next wait is {@code base} again
 */
public record RestartSchedule(Duration base, Duration cap, int deathsMax, Duration window) {

    public static final RestartSchedule STANDARD =
            new RestartSchedule(Duration.ofSeconds(2), Duration.ofSeconds(60), 5, Duration.ofMinutes(10));

    /** Up to this share is added to a wait, so that agents that died together do not start together. */
    static final double JITTER = 0.2;

    /**
     * @param restartAt null when the agent is given up
     */
    record Next(
            int attempts, List<Instant> deaths, @Nullable Instant restartAt) {}

    /** @param random from 0 to 1 */
    Next afterDeath(Instance instance, Instant now, double random) {
        var process = instance.process();
        boolean wasStable = process != null && !process.startedAt().plus(window).isAfter(now);
        int attempts = wasStable ? 1 : instance.attempts() + 1;
        List<Instant> deaths = new ArrayList<>(instance.deaths());
        deaths.add(now);
        deaths.removeIf(death -> death.plus(window).isBefore(now));
        boolean loops = deaths.size() >= deathsMax;
        return new Next(attempts, List.copyOf(deaths), loops ? null : now.plus(delay(attempts, random)));
    }

    private Duration delay(int attempts, double random) {
        long doubled = base.toMillis() << Math.min(attempts - 1, 20);
        double jittered = Math.min(doubled, cap.toMillis()) * (1 + JITTER * random);
        return Duration.ofMillis((long) jittered);
    }
}
