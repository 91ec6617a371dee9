package ai.molecule.registry.liveness;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Since when silence has been observed without interruption. It begins anew at start-up, after this process stood still, after the
 * database's clock jumped, and when the database comes back: silence before that proves nothing.
 */
final class Watch {

    /** A gap between two looks at the clock beyond this is a pause or a jump; half the TTL, when that is less. */
    private static final Duration GAP_MAX = Duration.ofSeconds(5);

    /** Two looks are a second apart; one that comes late is no pause. */
    static final Duration GAP_MIN = Duration.ofSeconds(2);

    /** A clock that steps back by less is merely being adjusted. */
    private static final Duration STEP_BACK_MAX = Duration.ofSeconds(1);

    private final Duration gapMax;
    private Instant lastLook = Instant.MIN;

    /** Null from an interruption to the next look. */
    private @Nullable Instant since;

    /** @param ttl the shortest silence that will be asked about */
    Watch(Duration ttl) {
        long half = ttl.dividedBy(2).toMillis();
        this.gapMax = Duration.ofMillis(Math.clamp(half, GAP_MIN.toMillis(), GAP_MAX.toMillis()));
    }

    /** To be called every second; whether the watch begins with this look. */
    boolean look(Instant now) {
        boolean anew = since == null || interrupted(Duration.between(lastLook, now));
        if (anew) {
            since = now;
        }
        lastLook = now;
        return anew;
    }

    void interrupt() {
        since = null;
    }

    /** Whether silence for {@code ttl} could have been observed up to the last look at all. */
    boolean covers(Duration ttl) {
        return since != null && !since.plus(ttl).isAfter(lastLook);
    }

    private boolean interrupted(Duration gap) {
        return gap.compareTo(gapMax) > 0 || gap.compareTo(STEP_BACK_MAX.negated()) < 0;
    }
}
