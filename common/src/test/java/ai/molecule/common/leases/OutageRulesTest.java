package ai.molecule.common.leases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.leases.OutageModel.Broken;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Random interleavings of outages, pauses, deaths and lost statements, see {@link OutageModel}. */
class OutageRulesTest {

    private static final int INTERLEAVINGS = 10_000;

    @Test
    void no_call_is_taken_from_a_holder_that_only_an_outage_kept_from_renewing_and_every_end_is_written() {
        assertThat(run(OutageModel::proven)).isGreaterThan(INTERLEAVINGS);
    }

    @Test
    void one_that_judges_without_having_renewed_for_a_lease_takes_calls_that_go_on() {
        assertThatThrownBy(() -> run(() -> RenewalStreak.trusting(Duration.ofDays(1))))
                .hasRootCauseInstanceOf(Broken.class)
                .hasRootCauseMessage("a call was claimed by another although its holder lives");
    }

    /** How many calls were answered. */
    private static int run(Supplier<RenewalStreak> streaks) {
        int answered = 0;
        for (long seed = 0; seed < INTERLEAVINGS; seed++) {
            try {
                answered += OutageModel.run(seed, streaks);
            } catch (Broken broken) {
                throw new AssertionError("interleaving " + seed, broken);
            }
        }
        return answered;
    }
}
