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
        assertThat(thawed(19, 0).step(NOW)).isEqualTo(Step.NOTHING);
        assertThat(thawed(20, 0).step(NOW)).isEqualTo(Step.FREEZE);
        assertThat(thawed(20, 113).step(NOW)).isEqualTo(Step.FREEZE);
        assertThat(thawed(30, 170).step(NOW)).isEqualTo(Step.NOTHING);
        assertThat(thawed(31, 170).step(NOW)).isEqualTo(Step.FREEZE);
    }

    @Test
    void a_freeze_ends_when_the_platform_was_well_for_five_seconds_on_end() {
        assertThat(frozen(null).step(NOW)).isEqualTo(Step.CHECK_HEALTH);
        assertThat(frozen(NOW.minusSeconds(4)).step(NOW)).isEqualTo(Step.CHECK_HEALTH);
        assertThat(frozen(NOW.minusSeconds(5)).step(NOW)).isEqualTo(Step.THAW);
    }

    private static Freeze thawed(int died, int live) {
        return new Freeze(null, null, died, live);
    }

    private static Freeze frozen(@Nullable Instant healthySince) {
        return new Freeze(NOW.minusSeconds(30), healthySince, 0, 0);
    }
}
