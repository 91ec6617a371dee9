package ai.molecule.registry.liveness;

import java.time.Duration;
import java.time.Instant;

/**
 * Since when silence has been observed without interruption. It begins anew at start-up, after this process stood still, after
 * the clock jumped, and when the database or Redis comes back: silence before that proves nothing.
 */
final class Watch {

    /** A gap between two looks at the clock beyond this is a pause or a jump; half the TTL, when that is less. */
    private static final Duration GAP_MAX = Duration.ofSeconds(5);

    /** Two looks are a second apart; one that comes late is no pause. */
    private static final Duration GAP_MIN = Duration.ofSeconds(2);

    /** A clock that steps back by less is merely being adjusted. */
    private static final Duration STEP_BACK_MAX = Duration.ofSeconds(1);

    private final Duration gapMax;
    private Instant since;
    private Instant lastLook;

    /** @param ttl the shortest silence that will be asked about */
    Watch(Instant now, Duration ttl) {
        long half = ttl.dividedBy(2).toMillis();
        this.gapMax = Duration.ofMillis(Math.clamp(half, GAP_MIN.toMillis(), GAP_MAX.toMillis()));
        this.since = now;
        this.lastLook = now;
    }

    /** To be called every second. */
    void look(Instant now) {
        var gap = Duration.between(lastLook, now);
        if (gap.compareTo(gapMax) > 0 || gap.compareTo(STEP_BACK_MAX.negated()) < 0) {
            since = now;
        }
        lastLook = now;
    }

    void restart(Instant now) {
        since = now;
        lastLook = now;
    }

    /** Whether silence for {@code ttl} could have been observed at all. */
    boolean covers(Duration ttl, Instant now) {
        return !since.plus(ttl).isAfter(now);
    }
}
