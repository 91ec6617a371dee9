package ai.molecule.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.PidFile;
import ai.molecule.cli.embedded.PostgresServer;
import ai.molecule.cli.embedded.RedisServer;
import ai.molecule.cli.embedded.ServerBinaries;
import ai.molecule.common.net.Ports;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Closing the lifeline is what the operating system does when the launcher is killed. */
class EndingWithTheLauncherTest {

    @TempDir
    Path temp;

    private DataFolder data;
    private Lifeline lifeline;
    private Watchdog watchdog;

    @BeforeEach
    void startWatchdog() throws Exception {
        data = DataFolder.open(temp.resolve("data"));
        lifeline = Lifeline.open(data.lifeline(), false);
        watchdog = Watchdog.start(data, lifeline);
    }

    @AfterEach
    void stopWatchdog() throws Exception {
        watchdog.expectEnd();
        lifeline.close();
        watchdog.close();
    }

    @Test
    void a_child_that_reads_the_lifeline_sees_its_end() throws Exception {
        var child = new ProcessBuilder("cat").redirectInput(lifeline.asInput()).start();
        assertThat(child.isAlive()).isTrue();

        lifeline.close();

        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void both_servers_are_stopped() throws Exception {
        var binaries = new ServerBinaries(data.binaries());
        var postgres = PostgresServer.start(binaries, data.postgres(), Ports.free(), "secret", data.log("postgres"));
        var redis = RedisServer.start(binaries, data.redis(), Ports.free(), "secret", data.log("redis"));

        watchdog.expectEnd();
        lifeline.close();

        await().until(() -> dead(postgres.pid()) && dead(redis.pid()) && dead(watchdog.pid()));
        assertThat(data.postgres().resolve("postmaster.pid")).doesNotExist(); // it had time to shut down cleanly
    }

    @Test
    void a_recorded_child_and_an_agent_found_by_its_environment_are_killed_when_they_ignore_everything()
            throws Exception {
        var child = stubborn(Map.of());
        new PidFile(data.pids().resolve("stubborn")).write(child.pid());
        boolean environmentsAreShown = OS.LINUX.isCurrentOs();
        var agent = stubborn(
                environmentsAreShown
                        ? Map.of("WORKSPACE_CONFIG_PATH", data.workspaces() + "/some-id/configs")
                        : Map.of());

        watchdog.expectEnd();
        lifeline.close();

        await().until(() -> !child.isAlive() && (!agent.isAlive() || !environmentsAreShown));
        agent.destroyForcibly();
    }

    /** As after the JVM of a platform was killed: its launcher holds the lifeline on. */
    @Test
    void the_watchdog_of_an_earlier_jvm_stays_until_another_is_there_and_that_one_stops_without_the_lifelines_end()
            throws Exception {
        var other = DataFolder.open(temp.resolve("other"));
        var held = Lifeline.open(other.lifeline(), true);
        var earlier = Watchdog.start(other, held);
        earlier.expectEnd(); // of its JVM, which would start it again
        long first = earlier.pid();

        var joined = Lifeline.join(other.lifeline());
        var later = Watchdog.start(other, joined);

        await().until(() -> dead(first) && !dead(later.pid()));
        later.expectEnd();
        joined.close();
        var recorded = sleeper();
        new PidFile(other.pids().resolve("child")).write(recorded.pid());
        later.close();
        assertThat(recorded.waitFor(60, TimeUnit.SECONDS)).isTrue();
        held.close();
    }

    @Test
    void a_watchdog_that_was_killed_is_replaced() {
        long first = watchdog.pid();

        ProcessHandle.of(first).orElseThrow().destroyForcibly();

        await().until(() -> watchdog.pid() != first && !dead(watchdog.pid()));
    }

    @Test
    void a_supervised_child_is_started_again_until_it_is_told_to_stop() throws Exception {
        var policy = new RestartPolicy(Duration.ofMillis(10), Duration.ofMillis(20), Duration.ofMinutes(1));
        var pidFile = new PidFile(data.pids().resolve("child"));
        try (var child = new Supervised(
                "child",
                EndingWithTheLauncherTest::sleeper,
                pidFile,
                policy,
                new OutageNotice("child", pidFile.path(), policy, line -> {}),
                () -> {})) {
            long first = child.pid();

            ProcessHandle.of(first).orElseThrow().destroyForcibly();

            await().until(() -> child.pid() != first && child.isAlive());
            assertThat(pidFile.living()).map(ProcessHandle::pid).contains(child.pid());
        }
        assertThat(pidFile.path()).doesNotExist();
    }

    private static Process stubborn(Map<String, String> environment) throws java.io.IOException {
        var builder = new ProcessBuilder("sh", "-c", "trap '' TERM INT HUP; echo ready; while :; do sleep 1; done");
        builder.environment().putAll(environment);
        var process = builder.start();
        process.inputReader().readLine();
        return process;
    }

    private static Process sleeper() throws java.io.IOException {
        return new ProcessBuilder("sleep", "600")
                .redirectInput(new File("/dev/null"))
                .start();
    }

    private static boolean dead(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty();
    }
}
