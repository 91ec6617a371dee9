package ai.molecule.common.leases;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Nobody takes what others held before everybody had the time to renew. */
class RenewalStreakTest {

    private static final Duration LEASE = Duration.ofSeconds(8);
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void one_that_has_not_renewed_yet_judges_nobody() {
        assertThat(RenewalStreak.trusting(LEASE).judgesUntil()).isEmpty();
        assertThat(RenewalStreak.proven(LEASE).judgesUntil()).isEmpty();
    }

    @Test
    void one_that_trusts_its_start_judges_for_half_a_lease_after_each_renewal() {
        var streak = RenewalStreak.trusting(LEASE);

        streak.renewed(at(0));
        assertThat(streak.judgesUntil()).contains(at(4));

        streak.renewed(at(2));
        assertThat(streak.judgesUntil()).contains(at(6));
    }

    @Test
    void one_that_has_to_prove_itself_judges_after_a_lease_of_renewals() {
        var streak = RenewalStreak.proven(LEASE);

        for (int second = 0; second < 8; second += 2) {
            streak.renewed(at(second));
            assertThat(streak.judgesUntil()).isEmpty();
        }
        streak.renewed(at(8));

        assertThat(streak.judgesUntil()).contains(at(12));
    }

    @Test
    void after_a_gap_nobody_is_judged_for_a_whole_lease() {
        var streak = RenewalStreak.trusting(LEASE);
        streak.renewed(at(0));

        streak.renewed(at(5)); // more than half a lease
        assertThat(streak.judgesUntil()).isEmpty();
        streak.renewed(at(8));
        assertThat(streak.judgesUntil()).isEmpty();
        streak.renewed(at(12));
        assertThat(streak.judgesUntil()).isEmpty();
        streak.renewed(at(13));

        assertThat(streak.judgesUntil()).contains(at(17));
    }

    @Test
    void a_gap_while_it_waits_begins_the_wait_once_more() {
        var streak = RenewalStreak.proven(LEASE);
        streak.renewed(at(0));
        streak.renewed(at(4));
        streak.renewed(at(20));
        streak.renewed(at(24));
        assertThat(streak.judgesUntil()).isEmpty();

        streak.renewed(at(28));

        assertThat(streak.judgesUntil()).isPresent();
    }

    @Test
    void a_clock_that_went_back_as_of_another_database_is_a_gap() {
        var streak = RenewalStreak.trusting(LEASE);
        streak.renewed(at(100));

        streak.renewed(at(99));

        assertThat(streak.judgesUntil()).isEmpty();
    }

    private static Instant at(long second) {
        return START.plusSeconds(second);
    }
}
