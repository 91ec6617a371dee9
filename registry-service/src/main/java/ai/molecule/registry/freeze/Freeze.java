package ai.molecule.registry.freeze;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether automatic restarts are frozen, and what that is decided from. Pure.
 *
 * @param since null while they are not
 * @param healthySince since when engine and stores were seen well without interruption; null when they are not
 * @param died how many workspaces died within the last minute, or since the last freeze ended
 * @param live how many live now; 0 when it does not matter
 */
public record Freeze(@Nullable Instant since, @Nullable Instant healthySince, int died, int live) {

    static final Duration WINDOW = Duration.ofSeconds(60);
    static final int DEATHS_MIN = 20;
    private static final int SHARE_PERCENT = 15;

    /** How long engine and stores must be well. */
    static final Duration HEALTHY_FOR = Duration.ofSeconds(5);

    /** What to do now. */
    enum Step {
        NOTHING,
        FREEZE,
        CHECK_HEALTH,
        THAW
    }

    boolean frozen() {
        return since != null || isMassDeath();
    }

    Step step(Instant now) {
        if (since == null) {
            return isMassDeath() ? Step.FREEZE : Step.NOTHING;
        }
        boolean well = healthySince != null && !healthySince.plus(HEALTHY_FOR).isAfter(now);
        return well ? Step.THAW : Step.CHECK_HEALTH;
    }

    /** Of those that lived before. */
    private boolean isMassDeath() {
        return died >= DEATHS_MIN && died * 100L > (long) SHARE_PERCENT * (live + died);
    }
}
