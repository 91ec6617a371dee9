package ai.molecule.cli.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the JVM of a service is started with. */
class ChildJvmTest {

    @Test
    void the_users_options_count_before_ours() {
        var command = ChildJvm.likeThis(Map.of("MOLECULE_JAVA_OPTS", " -Xmx1g  -XX:+AlwaysPreTouch "))
                .command("Main", Path.of("service.log"));

        assertThat(command).containsSubsequence("-Xmx256m", "-Xmx1g", "-XX:+AlwaysPreTouch", "-cp", "Main");
    }

    @Test
    void what_is_no_option_is_refused_before_a_jvm_takes_it_for_its_main_class() {
        assertThatThrownBy(() -> ChildJvm.likeThis(Map.of("MOLECULE_JAVA_OPTS", "-Xmx1g 512m")))
                .isInstanceOf(LaunchFailure.class)
                .hasMessageContaining("512m");
    }
}
