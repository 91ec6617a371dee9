package ai.molecule.provisioner.process;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartDelayed;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a process is given at its start, and what it is held to. */
@ExtendWith(VertxExtension.class)
class StartingProcessesTest {

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
                        "MOLECULE_MODEL_DOOR=http://127.0.0.1:8080/models",
                        "TIER=2",
                        "MOLECULE_RUNTIME=echo",
                        "MOLECULE_ADAPTER=echo",
                        "PARENT_ID=" + parent,
                        "MOLECULE_AGENT_HOST=127.0.0.1",
                        "MOLECULE_AGENT_PORT=20001",
                        "MOLECULE_HEARTBEAT_SECONDS=30",
                        "MOLECULE_INCARNATION=3",
                        "MOLECULE_SECRETS_FILE=" + folder.resolve("handover/secrets.json"),
                        "MOLECULE_AGENT_ROLE=finds holes",
                        "GIT_AUTHOR_NAME=Molecule AI Agent \"Q\"",
                        "GIT_AUTHOR_EMAIL=agent-q@agents.moleculesai.app",
                        "GIT_COMMITTER_NAME=Molecule AI Agent \"Q\"",
                        "GIT_COMMITTER_EMAIL=agent-q@agents.moleculesai.app"));
    }

    @Test
    void secrets_come_in_a_file_of_the_agents_own_and_show_nowhere_else(Vertx vertx) throws IOException {
        var backend = backend(vertx, ScriptedAgents.STEADY);

        var process = backend.start(launch(Map.of("API_KEY", "hush \"quoted\"", "GIT_AUTHOR_NAME", "Somebody")))
                .await();

        var file = data.resolve("workspaces/" + id + "/handover/secrets.json");
        assertThat(file).hasContent("{\"API_KEY\":\"hush \\\"quoted\\\"\",\"GIT_AUTHOR_NAME\":\"Somebody\"}");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        await().untilAsserted(() -> assertThat(Files.readString(Path.of("/proc", process.id(), "environ"), ISO_8859_1))
                .contains("MOLECULE_SECRETS_FILE=", "GIT_COMMITTER_NAME=")
                .doesNotContain("API_KEY", "hush", "GIT_AUTHOR_NAME"));
        assertThat(LiveProcess.commandLine(Long.parseLong(process.id())).orElseThrow())
                .doesNotContain("hush");
    }

    @Test
    void the_token_file_is_readable_by_its_owner_only_and_replaced_at_every_start(Vertx vertx) throws IOException {
        var backend = backend(vertx, ScriptedAgents.ENVIRONMENT);
        var token = data.resolve("workspaces/" + id + "/configs/.auth_token");

        backend.start(launch()).await();
        Files.writeString(token, "older");
        backend.start(launch()).await();

        assertThat(token).hasContent("the-token");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(token)))
                .isEqualTo("rw-------");
        try (var files = Files.list(token.getParent())) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactly(".auth_token");
        }
    }

    @Test
    void a_tiers_memory_is_a_limit_of_each_process(Vertx vertx) throws IOException {
        var process = backend(vertx, ScriptedAgents.STEADY).start(launch()).await();

        await().untilAsserted(() -> assertThat(Files.readAllLines(Path.of("/proc", process.id(), "limits")))
                .anyMatch(line -> line.matches("Max data size +536870912 +536870912 +bytes *"))
                .anyMatch(line -> line.matches("Max core file size +0 +0 +bytes *")));
    }

    @Test
    void a_start_that_the_machine_had_no_room_for_is_tried_again_and_says_what_it_lacks(Vertx vertx)
            throws IOException {
        var backend = backend(vertx, ScriptedAgents.STEADY);
        Path inTheWay = Files.createFile(data.resolve("workspaces"));

        assertThatThrownBy(() -> backend.start(launch()).await())
                .isInstanceOf(StartDelayed.class)
                .hasMessageContaining("workspace start failed: ")
                .hasMessageContaining("workspaces");
        Files.delete(inTheWay);
        assertThat(Processes.alive(
                        Long.parseLong(backend.start(launch()).await().id())))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/data/a/configs/.new: No space left on device | the disk that holds /data is full. Free some space on it: /data/a",
                "/data/a: Disk quota exceeded | the disk that holds /data is full.",
                "/data/a: Too many open files | the platform has no file descriptors left.",
                "Cannot run program \"x\": Exec failed, error: 11 (Resource temporarily unavailable) | the machine has no processes left.",
                "Cannot run program \"x\": error=12, Cannot allocate memory | the machine has no memory left: Cannot run",
                "/data/a | java.io.IOException: /data/a"
            })
    void what_a_machine_lacks_is_said(String words, String said) {
        assertThat(ScarceMachine.delay(new IOException(words), Path.of("/data")).reason())
                .startsWith("workspace start failed: " + said);
    }

    @Test
    void what_a_crashed_agent_left_running_ends_with_its_death_and_before_the_next_start(Vertx vertx) {
        var leaving = ScriptedAgents.script("setsid sh -c 'while :; do sleep 0.1; done' & echo $!; exit 1");
        var backend = backend(vertx, leaving);
        backend.start(launch()).await();
        var first = childOf(backend);

        backend.clear(id).await();
        assertThat(Processes.alive(first)).isFalse();

        backend.start(launch()).await();
        var second = childOf(backend);
        assertThat(Processes.alive(second)).isTrue();
        backend(vertx, ScriptedAgents.STEADY).start(launch()).await();
        assertThat(Processes.alive(second)).isFalse();
    }

    private long childOf(ProcessBackend backend) {
        await().until(() -> backend.logTail(id).await().matches("[0-9]+"));
        return Long.parseLong(backend.logTail(id).await());
    }

    @Test
    void an_agent_gains_no_privileges(Vertx vertx) {
        var process = backend(vertx, ScriptedAgents.STEADY).start(launch()).await();

        await().untilAsserted(() -> assertThat(Files.readAllLines(Path.of("/proc", process.id(), "status")))
                .contains("NoNewPrivs:\t1")
                .contains("CapEff:\t0000000000000000"));
    }

    @Test
    void nobody_else_can_read_an_agents_environment(Vertx vertx) throws IOException {
        var process = backend(vertx, ScriptedAgents.STEADY).start(launch()).await();

        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(Path.of("/proc", process.id(), "environ"))))
                .isEqualTo("r--------");
        assertThat(LiveProcess.commandLine(Long.parseLong(process.id())).orElseThrow())
                .doesNotContain("the-token");
    }

    @Test
    void a_lent_folder_is_where_it_works_and_one_that_is_not_there_is_said(Vertx vertx) throws IOException {
        var backend = backend(vertx, ScriptedAgents.script("pwd; echo home $HOME"));
        var lent = Files.createDirectories(data.resolve("lent"));

        backend.start(launch(lent.toString(), "read_write")).await();

        await().untilAsserted(() -> assertThat(backend.logTail(id).await())
                .isEqualTo(lent + "\nhome " + data.resolve("workspaces/" + id + "/workspace")));
        assertThatThrownBy(
                        () -> backend.start(launch("/not/here", "read_write")).await())
                .hasMessage("workspace_dir /not/here is no folder on this machine");
        assertThatThrownBy(() ->
                        backend.start(launch(lent.toString(), "read_only")).await())
                .hasMessage("workspace_access read_only cannot be held by the process backend; use none or read_write");
        assertThat(backend.start(launch("/not/here", "none")).await()).isNotNull();
    }

    private ProcessBackend backend(Vertx vertx, AgentCommand command) {
        return new ProcessBackend(vertx, Provisioning.settings(data), command);
    }

    private Launch launch() {
        return launch((UUID) null);
    }

    private Launch launch(Map<String, String> secrets) {
        var launch = launch();
        return new Launch(launch.workspace(), launch.port(), launch.token(), secrets);
    }

    private Launch launch(String folder, String access) {
        return launch(null, folder, access);
    }

    private Launch launch(@Nullable UUID parent) {
        return launch(parent, null, "none");
    }

    private Launch launch(@Nullable UUID parent, @Nullable String folder, String access) {
        var workspace = WorkspaceBuilder.workspace(id)
                .name("Agent \"Q\"")
                .role("finds holes")
                .parent(parent)
                .lent(folder, access)
                .incarnation(3)
                .build();
        return new Launch(workspace, 20_001, "the-token", Map.of());
    }
}
