package ai.molecule.registry.freeze;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether automatic restarts are frozen, and what that is decided from. Pure. All times are the database's.
 *
 * @param now when this was so
 * @param since null while they are not
 * @param healthySince since when the engine was seen well without interruption; null when it is not
 * @param trialAt when one automatic restart was last let through; null when none was in this freeze
 * @param heard whether any agent was heard since the freeze began
 * @param died how many workspaces died within the last minute, or since the last freeze ended
 * @param live how many live now; 0 when it does not matter
 */
public record Freeze(
        Instant now,
        @Nullable Instant since,
        @Nullable Instant healthySince,
        @Nullable Instant trialAt,
        boolean heard,
        int died,
        int live) {

    static final Duration WINDOW = Duration.ofSeconds(60);
    static final int DEATHS_MIN = 20;
    private static final int SHARE_PERCENT = 15;

    /** How long the engine must be well. */
    static final Duration HEALTHY_FOR = Duration.ofSeconds(5);

    /** Where nobody is left to be heard, one automatic restart in so long shows whether somebody comes back. */
    static final Duration TRIAL_EVERY = Duration.ofSeconds(60);

    /** What to do now. */
    enum Step {
        NOTHING,
        FREEZE,
        CHECK_HEALTH,
        THAW
    }

    public boolean frozen() {
        return since != null || isMassDeath();
    }

    /** Whether one automatic restart would be let through. */
    public boolean trialDue() {
        var last = trialAt == null ? since : trialAt;
        return last != null && well() && !last.plus(TRIAL_EVERY).isAfter(now);
    }

    Step step() {
        if (since == null) {
            return isMassDeath() ? Step.FREEZE : Step.NOTHING;
        }
        return well() && heard ? Step.THAW : Step.CHECK_HEALTH;
    }

    private boolean well() {
        return healthySince != null && !healthySince.plus(HEALTHY_FOR).isAfter(now);
    }

    /** Of those that lived before. */
    private boolean isMassDeath() {
        return died >= DEATHS_MIN && died * 100L > (long) SHARE_PERCENT * (live + died);
    }
}
