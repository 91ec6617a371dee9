package ai.molecule.provisioner.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Processes as the backend starts, finds and ends them. */
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
    void an_agent_gets_exactly_the_listed_environment(Vertx vertx) {
        var backend = backend(vertx, ScriptedAgents.ENVIRONMENT);
        var parent = UUID.randomUUID();

        backend.start(launch(parent)).await();

        var folder = data.resolve("workspaces").resolve(id.toString());
        await().untilAsserted(() -> assertThat(Files.readAllLines(folder.resolve("log/agent.log")))
                .containsExactlyInAnyOrder(
                        "PATH=/usr/local/bin:/usr/bin:/bin",
                        "LANG=C.UTF-8",
                        "HOME=" + folder.resolve("workspace"),
                        "WORKSPACE_ID=" + id,
                        "WORKSPACE_CONFIG_PATH=" + folder.resolve("configs"),
                        "CONFIGS_DIR=" + folder.resolve("configs"),
                        "PLUGINS_DIR=" + folder.resolve("plugins"),
                        "PLATFORM_URL=http://127.0.0.1:8080",
                        "MOLECULE_URL=http://127.0.0.1:8080",
                        "TIER=2",
                        "PARENT_ID=" + parent,
                        "MOLECULE_AGENT_HOST=127.0.0.1",
                        "MOLECULE_AGENT_PORT=20001",
                        "MOLECULE_HEARTBEAT_SECONDS=30",
                        "MOLECULE_INCARNATION=3"));
    }

    @Test
    void the_token_file_is_readable_by_its_owner_only_and_replaced_at_every_start(Vertx vertx) throws IOException {
        var backend = backend(vertx, ScriptedAgents.ENVIRONMENT);
        var token = data.resolve("workspaces/" + id + "/configs/.auth_token");

        backend.start(launch(null)).await();
        Files.writeString(token, "older");
        backend.start(launch(null)).await();

        assertThat(token).hasContent("the-token");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(token)))
                .isEqualTo("rw-------");
        try (var files = Files.list(token.getParent())) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactly(".auth_token");
        }
    }

    @Test
    void a_process_ends_when_told_to(Vertx vertx) {
        var backend = backend(vertx, ScriptedAgents.STEADY);
        var process = backend.start(launch(null)).await();

        backend.stop(process).await();

        assertThat(Processes.alive(process)).isFalse();
        assertThat(backend.findAlive(id, process).await()).isEmpty();
        await().untilAsserted(() ->
                assertThat(backend.describeExit(id, process).await()).isEqualTo("exit code 143"));
    }

    @Test
    void a_process_that_ignores_sigterm_is_killed(Vertx vertx) {
        var backend = backend(vertx, ScriptedAgents.STUBBORN);
        var process = backend.start(launch(null)).await();
        await().until(() -> backend.logTail(id).await().contains("deaf"));

        backend.stop(process).await();

        assertThat(Processes.alive(process)).isFalse();
        await().untilAsserted(() ->
                assertThat(backend.describeExit(id, process).await()).isEqualTo("exit code 137"));
    }

    @Test
    void a_recycled_pid_is_not_touched(Vertx vertx) {
        var backend = backend(vertx, ScriptedAgents.STEADY);
        var stranger = backend.start(launch(null)).await();
        var recorded = new AgentProcess(stranger.id(), stranger.startedAt().minusSeconds(60));

        backend.stop(recorded).await();

        assertThat(backend.findAlive(id, recorded).await()).isEmpty();
        assertThat(Processes.alive(stranger)).isTrue();
    }

    @Test
    void a_process_that_was_never_recorded_is_found_by_its_mark(Vertx vertx) {
        var process = backend(vertx, ScriptedAgents.STEADY).start(launch(null)).await();

        var found = backend(vertx, ScriptedAgents.STEADY).findAlive(id, null).await();

        assertThat(found).contains(process);
        assertThat(backend(vertx, ScriptedAgents.STEADY)
                        .findAlive(UUID.randomUUID(), null)
                        .await())
                .isEmpty();
    }

    @Test
    void the_end_of_a_process_is_noticed(Vertx vertx) {
        var backend = backend(vertx, ScriptedAgents.STEADY);
        var process = backend.start(launch(null)).await();
        var exit = backend.exitOf(process);

        Processes.kill(process);

        exit.await();
        assertThat(backend.findAlive(id, process).await()).isEmpty();
    }

    @Test
    void without_anybody_at_the_lifeline_nothing_is_started(Vertx vertx) throws Exception {
        var fifo = data.resolve("lifeline");
        new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor();
        var backend = new ProcessBackend(vertx, withLifeline(fifo), ScriptedAgents.STEADY);

        assertThatThrownBy(() -> backend.start(launch(null)).await())
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
            process = backend.start(launch(null)).await();
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
    void deleting_takes_the_folder_and_follows_no_link(Vertx vertx) throws IOException {
        var backend = backend(vertx, ScriptedAgents.ENVIRONMENT);
        backend.start(launch(null)).await();
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
                fifo,
                "/usr/bin:/bin",
                "C.UTF-8",
                Duration.ofSeconds(30),
                Duration.ofMillis(500));
    }

    private Launch launch(@Nullable UUID parent) {
        var workspace = new ManagedWorkspace(
                id,
                "Agent \"Q\"",
                "line one\nline two",
                2,
                "echo",
                null,
                null,
                parent,
                null,
                "none",
                WorkspaceStatus.PROVISIONING,
                Desired.RUNNING,
                3,
                null,
                null,
                1);
        return new Launch(workspace, 20_001, "the-token", Map.of());
    }
}
