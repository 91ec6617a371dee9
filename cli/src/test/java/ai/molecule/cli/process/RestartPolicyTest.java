package ai.molecule.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How patient the launcher is with a service that keeps ending. */
class RestartPolicyTest {

    private final RestartPolicy policy = RestartPolicy.STANDARD;

    @Test
    void the_pause_doubles_up_to_half_a_minute() {
        assertThat(policy.pause(1)).isEqualTo(Duration.ofSeconds(1));
        assertThat(policy.pause(2)).isEqualTo(Duration.ofSeconds(2));
        assertThat(policy.pause(3)).isEqualTo(Duration.ofSeconds(4));
        assertThat(policy.pause(10)).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void it_is_tried_for_ever() {
        assertThat(policy.pause(11)).isEqualTo(Duration.ofSeconds(30));
        assertThat(policy.pause(Integer.MAX_VALUE)).isEqualTo(Duration.ofSeconds(30));
    }

    @Test
    void a_minute_of_work_is_forgiven() {
        assertThat(policy.count(9, Duration.ofSeconds(59))).isEqualTo(10);
        assertThat(policy.count(9, Duration.ofSeconds(60))).isEqualTo(1);
    }
}
