package ai.molecule.runtime.platform;

import java.time.Duration;

/** How long to wait after the n-th failure in a row: 1 s, doubling, at most 30 s, and up to a quarter less so that agents do not come back all at once. */
final class Backoff {

    private static final long BASE_MILLIS = 1_000;
    private static final long CAP_MILLIS = 30_000;

    private Backoff() {}

    /**
     * @param failures 1 after the first
     * @param random between 0 and 1
     */
    static Duration after(int failures, double random) {
        long doubled = BASE_MILLIS << Math.min(failures - 1, 10);
        long millis = Math.min(doubled, CAP_MILLIS);
        return Duration.ofMillis(millis - (long) (millis * 0.25 * random));
    }
}
