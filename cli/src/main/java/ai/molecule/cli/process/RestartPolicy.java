package ai.molecule.cli.process;

import java.time.Duration;
import java.util.Optional;

/**
 * When a service or server that ended is started again: after 1 s, doubling up to 30 s, and after ten ends in a row not any more. One
 * that had run for a minute starts counting anew.
 */
public record RestartPolicy(Duration first, Duration cap, int attempts, Duration stable) {

    public static final RestartPolicy STANDARD =
            new RestartPolicy(Duration.ofSeconds(1), Duration.ofSeconds(30), 10, Duration.ofMinutes(1));

    /** How many ends in a row there are now, given the number before this one and how long the service ran. */
    public int count(int before, Duration ran) {
        return ran.compareTo(stable) >= 0 ? 1 : before + 1;
    }

    /** The pause after the {@code count}th end in a row (1 is the first); empty: give up. */
    public Optional<Duration> pause(int count) {
        if (count > attempts) {
            return Optional.empty();
        }
        Duration doubled = first.multipliedBy(1L << Math.min(count - 1, 20));
        return Optional.of(doubled.compareTo(cap) > 0 ? cap : doubled);
    }
}
