package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.instances.Instance;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** How long an agent that died waits, and when it is given up. */
class RestartScheduleTest {

    private static final Instant NOW = Instant.parse("2026-11-01T12:00:00Z");
    private final RestartSchedule schedule = RestartSchedule.STANDARD;

    @Test
    void the_wait_doubles_from_two_seconds_until_the_fifth_death_ends_it() {
        List<Long> waits = new ArrayList<>();
        var instance = after(0, List.of(), NOW);
        var next = schedule.afterDeath(instance, NOW, 0);
        while (next.restartAt() != null) {
            waits.add(Duration.between(NOW, next.restartAt()).toSeconds());
            next = schedule.afterDeath(after(next.attempts(), next.deaths(), NOW), NOW, 0);
        }

        assertThat(waits).containsExactly(2L, 4L, 8L, 16L);
    }

    @Test
    void the_wait_never_exceeds_a_minute_and_its_jitter() {
        var next = schedule.afterDeath(after(30, List.of(), NOW.minusSeconds(200)), NOW, 1);

        assertThat(next.restartAt()).isEqualTo(NOW.plusSeconds(72));
    }

    @Test
    void deaths_that_are_ten_minutes_apart_in_all_never_add_up() {
        var old = NOW.minus(Duration.ofMinutes(11));
        var next = schedule.afterDeath(after(4, List.of(old, old, old, old), NOW.minusSeconds(1)), NOW, 0);

        assertThat(next.restartAt()).isNotNull();
        assertThat(next.deaths()).containsExactly(NOW);
    }

    @Test
    void ten_stable_minutes_start_the_waits_anew() {
        var next = schedule.afterDeath(after(7, List.of(), NOW.minus(Duration.ofMinutes(10))), NOW, 0);

        assertThat(next.attempts()).isEqualTo(1);
        assertThat(next.restartAt()).isEqualTo(NOW.plusSeconds(2));
    }

    private static Instance after(int attempts, List<Instant> deaths, Instant startedAt) {
        var process = new AgentProcess("1", startedAt);
        return new Instance(
                UUID.randomUUID(),
                1,
                Instance.State.RUNNING,
                process,
                1,
                attempts,
                deaths,
                null,
                null,
                NOW,
                null,
                null);
    }
}
