package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starting, stopping and dying, and what is said when starting is impossible. */
@Tag("full")
class LauncherLifeIT {

    private static final Duration DEATH_LIMIT = Duration.ofMinutes(3);

    @Test
    void data_survive_a_restart_and_a_second_up_names_the_running_one(@TempDir Path data) {
        // Given
        String id;
        try (var platform = Platform.up(data, "--no-demo")) {
            id = platform.create("Keeper", "echo", null);
            platform.awaitStatus(id, "online");

            var second = Launcher.run("up", "--data", data.toString(), "--port", "0");

            assertThat(second.exitCode()).isEqualTo(2);
            assertThat(second.out()).isEmpty();
            assertThat(second.err()).contains(platform.url);
        }

        // When
        try (var again = Platform.up(data, "--no-demo")) {

            // Then
            again.awaitStatus(id, "online");
            assertThat(again.say(id, "still there?")).isEqualTo("Echo: still there?");
        }
    }

    @Test
    void after_kill_9_of_the_launcher_nothing_is_left(@TempDir Path data) {
        String id;
        try (var platform = Platform.up(data, "--no-demo")) {
            id = platform.create("Orphan", "echo", null);
            platform.awaitStatus(id, "online");

            platform.killLauncher();

            platform.awaitNothingLeft(DEATH_LIMIT);
        }
        try (var again = Platform.up(data, "--no-demo")) {
            again.awaitStatus(id, "online");
        }
    }

    @Test
    void after_kill_9_of_the_launcher_no_split_service_is_left(@TempDir Path data) {
        try (var platform = Platform.up(data, "--no-demo", "--split")) {
            String id = platform.create("Orphan", "echo", null);
            platform.awaitStatus(id, "online");

            platform.killLauncher();

            platform.awaitNothingLeft(DEATH_LIMIT);
        }
    }

    @Test
    void a_platform_whose_jvm_is_killed_comes_back_at_its_address_and_its_agents_run_on(@TempDir Path data) {
        try (var platform = Platform.up(data, "--no-demo")) {
            String id = platform.create("Steady", "echo", null);
            platform.awaitStatus(id, "online");
            long agent = platform.agentProcess(id).pid();
            long killed = platform.platformPid();

            ProcessHandle.of(killed).orElseThrow().destroyForcibly();

            await().until(() -> platform.standardError().contains("The platform runs again at " + platform.url));
            platform.awaitStatus(id, "online");
            assertThat(platform.say(id, "still there?")).isEqualTo("Echo: still there?");
            assertThat(platform.agentProcess(id).pid()).isEqualTo(agent);
            assertThat(platform.platformPid()).isNotEqualTo(killed);
            assertThat(platform.standardError()).containsOnlyOnce("The platform was killed.");
            assertThat(platform.standardOutput()).hasLineCount(1);

            platform.killLauncher();

            platform.awaitNothingLeft(DEATH_LIMIT);
        }
    }

    @Test
    void down_stops_a_platform_that_waits_to_be_started_again(@TempDir Path data) {
        try (var platform = Platform.up(data, "--no-demo")) {
            ProcessHandle.of(platform.platformPid()).orElseThrow().destroyForcibly();
            await().until(() -> platform.standardError().contains("The platform was killed."));

            assertThat(Launcher.run("down", "--data", data.toString()).exitCode())
                    .isZero();

            platform.awaitNothingLeft(DEATH_LIMIT);
        }
    }

    @Test
    void down_stops_everything_and_ps_and_logs_tell_of_it_before(@TempDir Path data) {
        try (var platform = Platform.up(data, "--demo", "small")) {
            await().untilAsserted(() -> assertThat(platform.standardError()).contains("curl"));

            var ps = Launcher.run("ps", "--data", data.toString());
            var logs = Launcher.run("logs", "Researcher", "--data", data.toString());
            var down = Launcher.run("down", "--data", data.toString());

            assertThat(ps.exitCode()).isZero();
            assertThat(ps.out())
                    .contains("Team Lead", "Researcher", "Writer", "online")
                    .contains("registry", "proxy", "events", "provisioner");
            assertThat(logs.exitCode()).isZero();
            assertThat(logs.out()).isNotEmpty();
            assertThat(down.exitCode()).isZero();
            platform.awaitNothingLeft(DEATH_LIMIT);
        }
    }

    @Test
    void a_busy_port_is_named_with_its_holder(@TempDir Path data) throws IOException {
        try (var busy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var up = Launcher.run(
                    "up", "--no-demo", "--data", data.toString(), "--port", String.valueOf(busy.getLocalPort()));

            assertThat(up.exitCode()).isEqualTo(2);
            assertThat(up.out()).isEmpty();
            assertThat(up.err())
                    .contains(String.valueOf(busy.getLocalPort()))
                    .contains(String.valueOf(ProcessHandle.current().pid()))
                    .doesNotContain("\tat ");
            assertThat(data).isEmptyDirectory();
        }
    }

    @Test
    void an_open_address_without_an_admin_token_is_refused(@TempDir Path data) {
        var up = Launcher.run("up", "--no-demo", "--data", data.toString(), "--bind", "0.0.0.0");

        assertThat(up.exitCode()).isEqualTo(2);
        assertThat(up.err()).contains("ADMIN_TOKEN");
    }

    @Test
    void without_a_jdk_25_one_sentence_says_what_to_do(@TempDir Path empty) {
        var up = Launcher.run(Map.of("MOLECULE_JAVA_HOME", empty.toString()), "up", "--data", empty.toString());

        assertThat(up.exitCode()).isEqualTo(2);
        assertThat(up.err()).contains("JDK 25").contains("MOLECULE_JAVA_HOME");
    }

    @Test
    void a_wrong_option_is_a_usage_error() {
        assertThat(Launcher.run("up", "--no-such-option").exitCode()).isEqualTo(2);
        assertThat(Launcher.run("--help").exitCode()).isZero();
    }
}
