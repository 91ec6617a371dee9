package ai.molecule.cli.process;

import java.time.Duration;

/**
 * When a service or server that ended is started again: after 1 s, doubling up to 30 s, for ever: what stands in its way, a full disk say, may
 * go by itself, and nobody may be there to start it. One that had run for a minute starts counting anew.
 */
public record RestartPolicy(Duration first, Duration cap, Duration stable) {

    public static final RestartPolicy STANDARD =
            new RestartPolicy(Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofMinutes(1));

    /** How many ends in a row there are now, given the number before this one and how long the service ran. */
    public int count(int before, Duration ran) {
        return ran.compareTo(stable) >= 0 ? 1 : before + 1;
    }

    /** The pause after the {@code count}th end in a row (1 is the first). */
    public Duration pause(int count) {
        Duration doubled = first.multipliedBy(1L << Math.clamp(count - 1L, 0, 20));
        return doubled.compareTo(cap) > 0 ? cap : doubled;
    }
}
