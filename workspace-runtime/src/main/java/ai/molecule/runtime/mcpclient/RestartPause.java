package ai.molecule.runtime.mcpclient;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** How long to wait before a server is begun anew: not at all the first time, then 1 s, doubling, at most a minute; a fifth more or less. */
final class RestartPause {

    static final Duration MAX = Duration.ofMinutes(1);

    private static final double JITTER = 0.2;

    private RestartPause() {}

    /** @param failures one after the other, from 1 */
    static Duration after(int failures, RandomGenerator random) {
        if (failures <= 1) {
            return Duration.ZERO;
        }
        long millis = Math.min(MAX.toMillis(), 1000L << Math.min(failures - 2, 16));
        return Duration.ofMillis((long) (millis * (1 - JITTER + 2 * JITTER * random.nextDouble())));
    }
}
