package ai.molecule.registry.freeze;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.registry.freeze.Freeze.Step;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When restarts freeze and when they go on, without a clock or a database. */
class FreezeTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void twenty_deaths_freeze_when_they_are_more_than_fifteen_percent() {
        assertThat(thawed(19, 0).step()).isEqualTo(Step.NOTHING);
        assertThat(thawed(20, 0).step()).isEqualTo(Step.FREEZE);
        assertThat(thawed(20, 113).step()).isEqualTo(Step.FREEZE);
        assertThat(thawed(30, 170).step()).isEqualTo(Step.NOTHING);
        assertThat(thawed(31, 170).step()).isEqualTo(Step.FREEZE);
    }

    @Test
    void a_freeze_ends_when_the_engine_was_well_for_five_seconds_on_end_and_somebody_was_heard() {
        assertThat(frozen(null, true).step()).isEqualTo(Step.CHECK_HEALTH);
        assertThat(frozen(NOW.minusSeconds(4), true).step()).isEqualTo(Step.CHECK_HEALTH);
        assertThat(frozen(NOW.minusSeconds(5), true).step()).isEqualTo(Step.THAW);
        assertThat(frozen(NOW.minusSeconds(5), false).step()).isEqualTo(Step.CHECK_HEALTH);
    }

    @Test
    void where_nobody_is_left_to_be_heard_one_restart_a_minute_is_tried_while_the_engine_is_well() {
        assertThat(frozen(NOW.minusSeconds(5), false).trialDue()).isFalse();
        assertThat(frozenFor(60, NOW.minusSeconds(5), null).trialDue()).isTrue();
        assertThat(frozenFor(60, null, null).trialDue()).isFalse();
        assertThat(frozenFor(600, NOW.minusSeconds(5), NOW.minusSeconds(59)).trialDue())
                .isFalse();
        assertThat(frozenFor(600, NOW.minusSeconds(5), NOW.minusSeconds(60)).trialDue())
                .isTrue();
        assertThat(thawed(0, 0).trialDue()).isFalse();
    }

    private static Freeze thawed(int died, int live) {
        return new Freeze(NOW, null, null, null, false, died, live);
    }

    private static Freeze frozen(@Nullable Instant healthySince, boolean heard) {
        return new Freeze(NOW, NOW.minusSeconds(30), healthySince, null, heard, 0, 0);
    }

    private static Freeze frozenFor(int seconds, @Nullable Instant healthySince, @Nullable Instant trialAt) {
        return new Freeze(NOW, NOW.minusSeconds(seconds), healthySince, trialAt, false, 0, 0);
    }
}
