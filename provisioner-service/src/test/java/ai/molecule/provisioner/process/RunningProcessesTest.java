package ai.molecule.provisioner.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Exit;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** How processes end, and what else of them is not as in other backends. */
@ExtendWith(VertxExtension.class)
class RunningProcessesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    private final UUID id = UUID.randomUUID();

    @AfterEach
    void endProcesses() {
        Processes.kill(id);
    }

    @Test
    void a_process_ends_when_told_to(Vertx vertx) {
        var backend = backend(vertx, ScriptedAgents.STEADY);
        var process = backend.start(launch()).await();

        backend.stop(process).await();

        assertThat(Processes.alive(process)).isFalse();
        assertThat(backend.findAlive(id, process).await()).isEmpty();
        await().untilAsserted(() ->
                assertThat(backend.describeExit(id, process).await()).isEqualTo("ended by SIGTERM"));
    }

    @Test
    void a_process_that_ignores_sigterm_is_killed(Vertx vertx) {
        var backend = backend(vertx, ScriptedAgents.STUBBORN);
        var process = backend.start(launch()).await();
        await().until(() -> backend.logTail(id).await().contains("deaf"));

        backend.stop(process).await();

        assertThat(Processes.alive(process)).isFalse();
        await().untilAsserted(() ->
                assertThat(backend.describeExit(id, process).await()).isEqualTo("killed by SIGKILL"));
    }

    @Test
    void a_recycled_pid_is_not_touched(Vertx vertx) {
        var backend = backend(vertx, ScriptedAgents.STEADY);
        var stranger = backend.start(launch()).await();
        var recorded = new AgentProcess(stranger.id(), stranger.startedAt().minusSeconds(60));

        backend.stop(recorded).await();

        assertThat(backend.findAlive(id, recorded).await()).isEmpty();
        assertThat(Processes.alive(stranger)).isTrue();
    }

    @Test
    void without_anybody_at_the_lifeline_nothing_is_started(Vertx vertx) throws Exception {
        var fifo = data.resolve("lifeline");
        new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor();
        var backend = new ProcessBackend(vertx, withLifeline(fifo), ScriptedAgents.STEADY);

        assertThatThrownBy(() -> backend.start(launch()).await())
                .hasMessage("workspace start failed: nobody holds the agents' lifeline (MOLECULE_AGENT_LIFELINE)");

        assertThat(Processes.marked(id)).isEmpty();
    }

    @Test
    void an_agent_ends_with_its_lifeline(Vertx vertx) throws Exception {
        var fifo = data.resolve("lifeline");
        new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor();
        var backend = new ProcessBackend(vertx, withLifeline(fifo), ScriptedAgents.script("cat; echo over"));
        AgentProcess process;
        try (var held = new RandomAccessFile(fifo.toFile(), "rw")) {
            process = backend.start(launch()).await();
            assertThat(Processes.alive(process)).isTrue();
        }

        backend.exitOf(process).await();
        assertThat(backend.logTail(id).await()).isEqualTo("over");
    }

    @Test
    void a_port_stays_until_somebody_else_has_it(Vertx vertx) throws IOException {
        var backend = backend(vertx, ScriptedAgents.STEADY);
        int port = backend.choosePort(null, Set.of()).await();

        assertThat(backend.choosePort(port, Set.of()).await()).isEqualTo(port);
        assertThat(backend.choosePort(port, Set.of(port)).await()).isNotEqualTo(port);
        try (var taken = new java.net.ServerSocket(port, 1, java.net.InetAddress.getLoopbackAddress())) {
            assertThat(backend.choosePort(port, Set.of()).await()).isNotEqualTo(taken.getLocalPort());
        }
    }

    @Test
    void how_a_process_ended_is_said_in_words() {
        assertThat(Exit.describe(0, "")).isEqualTo("exit code 0");
        assertThat(Exit.describe(78, "bad")).isEqualTo("exit code 78");
        assertThat(Exit.describe(139, "")).isEqualTo("crashed with SIGSEGV");
        assertThat(Exit.describe(3, "Terminating due to java.lang.OutOfMemoryError: Java heap space"))
                .isEqualTo("out of memory (exit code 3)");
    }

    @Test
    void deleting_takes_the_folder_and_follows_no_link(Vertx vertx) throws IOException {
        var backend = backend(vertx, ScriptedAgents.ENVIRONMENT);
        backend.start(launch()).await();
        var outside = Files.writeString(data.resolve("outside"), "kept");
        var folder = data.resolve("workspaces/" + id);
        Files.createSymbolicLink(folder.resolve("workspace/link"), data);

        backend.delete(id).await();
        backend.delete(id).await();

        assertThat(folder).doesNotExist();
        assertThat(outside).exists();
    }

    private ProcessBackend backend(Vertx vertx, AgentCommand command) {
        return new ProcessBackend(vertx, Provisioning.settings(data), command);
    }

    private ProcessSettings withLifeline(Path fifo) {
        return new ProcessSettings(
                data,
                null,
                "http://127.0.0.1:8080",
                "127.0.0.1",
                fifo,
                "/usr/bin:/bin",
                "C.UTF-8",
                Duration.ofSeconds(30),
                Duration.ofMillis(500),
                null,
                Provisioning.settings(data).tiers(),
                false);
    }

    private Launch launch() {
        return new Launch(WorkspaceBuilder.workspace(id).build(), 20_001, "the-token", Map.of());
    }
}
