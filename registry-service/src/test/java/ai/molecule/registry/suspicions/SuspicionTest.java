package ai.molecule.registry.suspicions;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.registry.suspicions.Suspicion.Step;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is done about an agent that fell silent, without a clock or a database. */
class SuspicionTest {

    private static final Instant SILENT_SINCE = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant FOUND = SILENT_SINCE.plusSeconds(60);
    private static final Duration PACE = Suspicion.probeEvery(Duration.ofSeconds(60));
    private static final Suspicion NEW =
            new Suspicion(UUID.randomUUID(), 1, "http://127.0.0.1:1", SILENT_SINCE, 0, false);

    @Test
    void it_is_asked_three_times_within_twenty_seconds_and_then_replaced() {
        var suspicion = NEW;
        var now = FOUND;
        for (int i = 0; i < 3; i++) {
            assertThat(suspicion.step(now, true)).isEqualTo(Step.PROBE);
            suspicion = suspicion.probed(false);
            now = suspicion.due(Step.PROBE, now, PACE);
        }

        assertThat(suspicion.step(now, true)).isEqualTo(Step.RESTART);
        assertThat(Duration.between(FOUND, now).plus(Suspicion.PROBE_MAX)).isLessThanOrEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void one_that_answers_is_left_alone_until_five_minutes_of_silence() {
        var answering = NEW.probed(false).probed(true);

        assertThat(answering.step(FOUND.plusSeconds(9), true)).isEqualTo(Step.WAIT);
        assertThat(answering.due(Step.PROBE, FOUND, PACE)).isEqualTo(SILENT_SINCE.plus(Duration.ofMinutes(5)));
        assertThat(answering.step(SILENT_SINCE.plusSeconds(299), true)).isEqualTo(Step.WAIT);
        assertThat(answering.step(SILENT_SINCE.plusSeconds(300), true)).isEqualTo(Step.RESTART);
    }

    @Test
    void where_nobody_is_heard_one_that_answers_is_asked_again_and_again_and_never_replaced() {
        var answering = NEW.probed(true);
        var later = SILENT_SINCE.plusSeconds(3_600);

        assertThat(answering.step(later, false)).isEqualTo(Step.PROBE);
        assertThat(answering.due(Step.PROBE, later, PACE)).isEqualTo(later.plusSeconds(30));
        assertThat(answering.probed(false).probed(false).probed(false).step(later, false))
                .isEqualTo(Step.RESTART);
    }

    @Test
    void a_restart_that_does_not_happen_is_asked_for_again() {
        assertThat(NEW.due(Step.RESTART, FOUND, PACE)).isEqualTo(FOUND.plusSeconds(30));
    }
}
