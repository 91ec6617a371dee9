package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Processes that stand still instead of dying, with a liveness TTL of eight seconds. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FallingSilentIT {

    /** Longer than the TTL, and longer than the 10 s after which the other services drop a silent one from the bus. */
    private static final Duration STANDSTILL = Duration.ofSeconds(14);

    private static final Map<String, String> QUICK = Map.of(
            "MOLECULE_LIVENESS_TTL_SECONDS", "8",
            "MOLECULE_HEARTBEAT_SECONDS", "1",
            "MOLECULE_STOP_SECONDS", "1");

    private Platform platform;
    private String steady;
    private String silent;

    @BeforeAll
    void start(@TempDir Path data) {
        platform = Platform.up(QUICK, data, "--no-demo", "--split");
        steady = platform.create("Steady", "echo", null);
        silent = platform.create("Silent", "echo", null);
        platform.awaitStatus(steady, "online");
        platform.awaitStatus(silent, "online");
    }

    @AfterAll
    void stop() {
        platform.close();
    }

    @Test
    void an_agent_that_stands_still_goes_offline_and_is_replaced_and_the_other_is_left_alone() {
        var before = platform.agentProcess(silent);

        signal("STOP", before);

        platform.awaitStatus(silent, "offline");
        platform.awaitStatus(silent, "online");
        assertThat(before.isAlive()).isFalse();
        assertThat(platform.agentProcess(silent).pid()).isNotEqualTo(before.pid());
        assertThat(eventsOf(steady)).doesNotContain("WORKSPACE_OFFLINE");
        assertThat(platform.get("/admin/liveness")
                        .at("/subsystems/registry.silent-agents/ok")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void a_registry_that_stood_still_kills_nobody_and_serves_on() {
        var registry = platform.processWith("RegistryMain").orElseThrow();
        long offlineBefore = deathsOf(silent);

        signal("STOP", registry);
        pass(STANDSTILL);
        signal("CONT", registry);

        await().ignoreExceptions().until(() -> platform.status(steady).equals("online"));
        await().untilAsserted(() -> assertThat(platform.say(steady, "hello")).contains("hello"));
        pass(Duration.ofSeconds(10));
        assertThat(eventsOf(steady)).doesNotContain("WORKSPACE_OFFLINE");
        assertThat(deathsOf(silent)).isEqualTo(offlineBefore);
    }

    private long deathsOf(String id) {
        return eventsOf(id).stream().filter("WORKSPACE_OFFLINE"::equals).count();
    }

    private List<String> eventsOf(String id) {
        return platform.get("/events/" + id).findValuesAsText("event_type");
    }

    /** The passing of time is what these tests are about. */
    private static void pass(Duration time) {
        await().pollDelay(time).atMost(time.plusSeconds(30)).until(() -> true);
    }

    private static void signal(String name, ProcessHandle process) {
        try {
            int exit = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                    .start()
                    .waitFor();
            assertThat(exit).isZero();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
