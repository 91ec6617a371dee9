package ai.molecule.cli.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import java.util.List;
import org.junit.jupiter.api.Test;

/** PostgreSQL does not run as root; what then. */
class RunningWithoutPrivilegesTest {

    @Test
    void an_ordinary_user_runs_it_as_it_is() {
        assertThat(Unprivileged.choose(false, prefix -> false).prefix()).isEmpty();
    }

    @Test
    void root_steps_into_a_user_namespace() {
        var chosen = Unprivileged.choose(true, prefix -> true);

        assertThat(chosen.prefix()).containsExactly("unshare", "-U");
        assertThat(chosen.owner()).isEmpty();
    }

    @Test
    void without_namespaces_root_hands_over_to_another_user() {
        var chosen = Unprivileged.choose(true, prefix -> !prefix.getFirst().equals("unshare"));

        assertThat(chosen.prefix()).startsWith("setpriv");
        assertThat(chosen.owner()).contains("nobody");
    }

    @Test
    void where_everything_is_refused_the_way_out_is_named() {
        assertThatThrownBy(() -> Unprivileged.choose(true, prefix -> false))
                .isInstanceOfSatisfying(LaunchFailure.class, e -> {
                    assertThat(e.exitCode()).isEqualTo(2);
                    assertThat(e.sentence()).contains("DATABASE_URL");
                });
    }

    @Test
    void the_words_in_front_are_those_of_the_last_resort_too() {
        var chosen = Unprivileged.choose(true, List.of("runuser", "-u", "nobody", "--")::equals);

        assertThat(chosen.prefix()).startsWith("runuser");
    }
}
