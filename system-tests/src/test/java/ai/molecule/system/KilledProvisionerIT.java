package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** SIGKILL for the provisioner's process while it has something to do; the launcher starts it again. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KilledProvisionerIT {

    private Platform platform;

    @BeforeAll
    void start(@TempDir Path data) {
        platform = Platform.up(data, "--no-demo", "--split");
    }

    @AfterAll
    void stop() {
        platform.close();
    }

    @Test
    void agents_that_were_being_started_start_once() {
        var ids = Stream.of("One", "Two", "Three")
                .map(name -> platform.create(name, "echo", null))
                .toList();

        killProvisioner();

        ids.forEach(id -> platform.awaitStatus(id, "online"));
        awaitProvisioner();
        ids.forEach(id -> assertThat(processesOf(id)).hasSize(1));
    }

    @Test
    void a_paused_agent_stays_paused_and_the_others_run_on_undisturbed() {
        String steady = online("Steady");
        String paused = online("Paused");
        long pid = platform.agentProcess(steady).pid();
        platform.post(200, "/workspaces/" + paused + "/pause", "");

        killProvisioner();
        awaitProvisioner();
        String later = online("Later"); // the new provisioner works

        assertThat(platform.status(paused)).isEqualTo("paused");
        assertThat(processesOf(paused)).isEmpty();
        assertThat(platform.agentProcess(steady).pid()).isEqualTo(pid);
        assertThat(platform.status(steady)).isEqualTo("online");
        assertThat(processesOf(later)).hasSize(1);
    }

    @Test
    void an_agent_paused_or_removed_while_nobody_is_there_ends_all_the_same() {
        String removed = online("Removed");
        String paused = online("Put to sleep");
        killProvisioner();

        platform.delete("/workspaces/" + removed);
        await()
                // until somebody serves the path again; a connection may end with whoever was killed, and its answer
                // with it
                .ignoreExceptionsMatching(
                        failure -> failure instanceof AssertionError || failure instanceof UncheckedIOException)
                .until(() -> {
                    if (!platform.status(paused).equals("paused")) {
                        platform.post(200, "/workspaces/" + paused + "/pause", "");
                    }
                    return platform.status(paused).equals("paused");
                });

        await().until(() ->
                processesOf(removed).isEmpty() && processesOf(paused).isEmpty());
        await().until(() -> !Files.exists(platform.data().resolve("workspaces/" + removed)));
        assertThat(platform.status(paused)).isEqualTo("paused");
    }

    @Test
    void an_agent_that_dies_meanwhile_comes_back() {
        String id = online("Mortal");
        var before = platform.agentProcess(id);

        killProvisioner();
        before.destroyForcibly();

        await().until(() -> platform.status(id).equals("online")
                && processesOf(id).stream().anyMatch(process -> process.pid() != before.pid()));
        assertThat(processesOf(id)).hasSize(1);
    }

    private String online(String name) {
        String id = platform.create(name, "echo", null);
        platform.awaitStatus(id, "online");
        return id;
    }

    private void killProvisioner() {
        var provisioner = platform.processWith("ProvisionerMain").orElseThrow();
        provisioner.destroyForcibly();
        provisioner.onExit().join();
    }

    private void awaitProvisioner() {
        await().until(() -> platform.processWith("ProvisionerMain").isPresent());
    }

    private List<ProcessHandle> processesOf(String id) {
        return platform.processes()
                .filter(process -> process.info()
                        .commandLine()
                        .filter(line -> line.contains("-Dmolecule.workspace=" + id))
                        .isPresent())
                .toList();
    }
}
