package ai.molecule.provisioner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.BackendContract;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.StartRefused;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agents as containers, on the engine of this machine. */
class DockerBackendTest extends BackendContract {

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private DockerSettings settings;

    @Override
    protected Backend backend(Vertx vertx) {
        this.vertx = vertx;
        if (settings == null) {
            settings = TestEngine.settings(vertx);
        }
        return new DockerBackend(vertx, settings);
    }

    @Override
    protected void kill(AgentProcess process) {
        TestEngine.engine(vertx)
                .post("/containers/" + process.id() + "/kill", null)
                .await();
    }

    @Override
    protected Set<String> leftOf(UUID workspaceId) {
        var engine = TestEngine.engine(vertx);
        var left = new TreeSet<String>();
        String filter = Engine.encode("{\"label\":[\"molecule.workspace.id=%s\"]}".formatted(workspaceId));
        engine.get("/containers/json?all=true&filters=" + filter).await().array().stream()
                .map(container -> ((JsonObject) container).getJsonArray("Names").getString(0))
                .forEach(left::add);
        var volumes = engine.get("/volumes?filters=" + filter).await().object().getJsonArray("Volumes");
        (volumes == null ? new JsonArray() : volumes)
                .stream().map(volume -> ((JsonObject) volume).getString("Name")).forEach(left::add);
        return left;
    }

    @Override
    protected String tokenFile() {
        return "/configs/.auth_token";
    }

    @Test
    void a_container_is_named_labelled_bounded_and_without_privileges() {
        var process = start(Map.of("SCRIPT", STEADY));

        var container = TestEngine.inspect(vertx, process.id());
        var config = container.getJsonObject("Config");
        var host = container.getJsonObject("HostConfig");
        assertThat(container.getString("Name")).isEqualTo("/ws-" + id.toString().substring(0, 12));
        assertThat(config.getString("Image")).isEqualTo("molecule-test/scripted-agent:1");
        assertThat(config.getString("User")).isEqualTo("10001:10001");
        assertThat(config.getJsonObject("Labels").getMap())
                .containsEntry("molecule.platform.managed", "true")
                .containsEntry("molecule.workspace.id", id.toString());
        assertThat(host.getBoolean("Privileged")).isFalse();
        assertThat(host.getJsonArray("CapDrop")).containsExactly("ALL");
        assertThat(host.getJsonArray("SecurityOpt")).containsExactly("no-new-privileges");
        assertThat(host.getJsonObject("RestartPolicy").getString("Name")).isEqualTo("no");
        assertThat(host.getLong("Memory")).isEqualTo(512L << 20);
        assertThat(host.getLong("NanoCpus")).isEqualTo(1_000_000_000L);
        assertThat(host.getLong("PidsLimit")).isEqualTo(256L);
        assertThat(host.getJsonObject("LogConfig").encode()).contains("max-size", "10m");
        assertThat(host.getJsonObject("PortBindings")
                        .getJsonArray("8000/tcp")
                        .getJsonObject(0)
                        .getString("HostIp"))
                .isEqualTo("127.0.0.1");
        assertThat(container.getJsonArray("Mounts").stream()
                        .map(mount -> ((JsonObject) mount).getString("Destination")))
                .containsExactlyInAnyOrder("/configs", "/workspace", "/home", "/plugins");
    }

    @Test
    void privileges_are_given_only_where_a_person_allowed_them() {
        var refused = new AgentContainer(settings, new Names("p"), 2, null).of(launch(Map.of(), 4, 1), "image");
        var allowed = new AgentContainer(
                        TestEngine.settings(vertx, "MOLECULE_ALLOW_PRIVILEGED", "1"), new Names("p"), 2, null)
                .of(launch(Map.of(), 4, 1), "image");

        assertThat(refused.getJsonObject("HostConfig").encode())
                .doesNotContain("docker.sock", "\"host\"", "\"Privileged\":true");
        assertThat(allowed.getJsonObject("HostConfig").encode())
                .contains(
                        "/var/run/docker.sock",
                        "\"NetworkMode\":\"host\"",
                        "\"Privileged\":true",
                        "\"PidMode\":\"host\"");
    }

    @Test
    void no_tier_is_promised_more_processors_than_the_machine_has() {
        assertThat(processorsOfTierFour(2)).isEqualTo(2_000_000_000L);
        assertThat(processorsOfTierFour(64)).isEqualTo(4_000_000_000L);
        int here = new EngineMachine(TestEngine.engine(vertx)).processors().await();
        assertThat(here).isPositive();

        assertThat(backend.start(launch(Map.of("SCRIPT", STEADY), 4, 1)).await())
                .isNotNull();
    }

    private long processorsOfTierFour(int machine) {
        return new AgentContainer(settings, new Names("p"), machine, null)
                .of(launch(Map.of(), 4, 1), "image")
                .getJsonObject("HostConfig")
                .getLong("NanoCpus");
    }

    @Test
    void what_a_tier_does_not_get_is_said() {
        assertThat(backend.withheld(launch(Map.of(), 3, 1).workspace()))
                .contains("agent runs without the privileges of tier 3; MOLECULE_ALLOW_PRIVILEGED=1 would grant them");
        assertThat(backend.withheld(launch(Map.of(), 2, 1).workspace())).isEmpty();
        assertThat(new DockerBackend(vertx, TestEngine.settings(vertx, "MOLECULE_ALLOW_PRIVILEGED", "1"))
                        .withheld(launch(Map.of(), 4, 1).workspace()))
                .isEmpty();
    }

    @Test
    void a_lent_folder_is_its_workspace_and_stays_its_owners(@TempDir Path lent) throws IOException {
        Files.writeString(lent.resolve("theirs"), "before\n");
        Files.setPosixFilePermissions(lent, PosixFilePermissions.fromString("rwxrwxrwx"));
        backend.start(lending(lent.toString(), "read_write", "cat theirs; echo mine >mine; sleep 60"))
                .await();
        awaitLog("before");
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(lent.resolve("mine")).hasContent("mine\n"));

        var note = FilePath.of("folder/note");
        backend.files()
                .write(id, Root.WORKSPACE, Map.of(note, Buffer.buffer("a note")))
                .await();

        assertThat(lent.resolve("folder/note")).hasContent("a note");
        assertThat(backend.files().read(id, Root.WORKSPACE, FilePath.of("mine")).await())
                .contains(Buffer.buffer("mine\n"));
        assertThat(Files.getOwner(lent)).isEqualTo(Files.getOwner(lent.resolve("theirs")));
        for (String made : new String[] {"folder", "mine"}) {
            backend.files().delete(id, Root.WORKSPACE, FilePath.of(made)).await();
        }
        backend.delete(id).await();
        assertThat(lent.toFile().list()).containsExactly("theirs");
    }

    @Test
    void a_folder_lent_for_reading_is_written_by_nobody(@TempDir Path lent) throws IOException {
        Files.writeString(lent.resolve("theirs"), "before\n");
        Files.setPosixFilePermissions(lent, PosixFilePermissions.fromString("rwxr-xr-x"));
        backend.start(lending(lent.toString(), "read_only", "touch x; cat theirs; sleep 60"))
                .await();
        awaitLog("before");

        var file = FilePath.of("theirs");
        assertThatThrownBy(() -> backend.files()
                        .write(id, Root.WORKSPACE, Map.of(file, Buffer.buffer("x")))
                        .await())
                .hasMessage("workspace_dir is lent read_only");
        assertThatThrownBy(
                        () -> backend.files().delete(id, Root.WORKSPACE, file).await())
                .hasMessage("workspace_dir is lent read_only");
        assertThat(lent.toFile().list()).containsExactly("theirs");
    }

    @Test
    void a_lent_folder_that_is_not_there_fails_the_start() {
        assertThatThrownBy(() -> backend.start(lending("/not/here", "read_write", STEADY))
                        .await())
                .isInstanceOf(StartRefused.class)
                .hasMessage("workspace_dir /not/here is no folder on the engine's machine");
    }

    private Launch lending(String folder, String access, String script) {
        var launch = launch(Map.of("SCRIPT", script), 2, 1);
        var workspace =
                WorkspaceBuilder.like(launch.workspace()).lent(folder, access).build();
        return new Launch(workspace, launch.port(), launch.token(), launch.secrets());
    }

    @Test
    void claude_keeps_its_conversations_in_a_volume_of_their_own_until_they_are_forgotten() throws Exception {
        String sessions = "/home/.claude/sessions";
        var first = startClaude("echo said >%s/one; echo settings >/home/.claude/settings; ls -A %s; sleep 60"
                .formatted(sessions, sessions));
        awaitLog("one");
        assertThat(leftOf(id))
                .contains("ws-%s-claude-sessions".formatted(id.toString().substring(0, 12)));

        backend.stop(first).await();
        startClaude("cat %s/one; sleep 60".formatted(sessions));
        awaitLog("said");
        backend.forgetSessions(id).await(); // while it runs
        backend.stop(backend.findAlive(id, null).await().orElseThrow()).await();
        startClaude("ls -A %s; cat /home/.claude/settings; sleep 60".formatted(sessions));

        awaitLog("settings");
        assertThat(log()).isEqualTo("settings");
    }

    private AgentProcess startClaude(String script) {
        var launch = launch(Map.of("SCRIPT", script), 2, 3);
        var workspace =
                WorkspaceBuilder.like(launch.workspace()).runtime("claude-code").build();
        return backend.start(new Launch(workspace, launch.port(), launch.token(), launch.secrets()))
                .await();
    }

    @Test
    void tier_one_cannot_write_to_its_image() {
        backend.start(launch(
                        Map.of("SCRIPT", "touch /etc/x /opt/x; touch /tmp/x /workspace/x && echo folders; sleep 60"),
                        1,
                        1))
                .await();

        awaitLog("folders");
        assertThat(TestEngine.inspect(vertx, "ws-" + id.toString().substring(0, 12))
                        .getJsonObject("HostConfig")
                        .getBoolean("ReadonlyRootfs"))
                .isTrue();
    }

    @Test
    void an_agent_that_takes_too_much_memory_ends_with_that_reason() {
        var process = start(Map.of("SCRIPT", "echo begin; exec tail /dev/zero"));

        backend.exitOf(process).await();

        await().atMost(SOON)
                .untilAsserted(() ->
                        assertThat(backend.describeExit(id, process).await()).isEqualTo("out of memory"));
    }

    @Test
    void a_container_that_somebody_removed_is_gone_with_that_reason() {
        var process = start(Map.of("SCRIPT", STEADY));
        var exit = backend.exitOf(process);

        TestEngine.engine(vertx)
                .delete("/containers/" + process.id() + "?force=true")
                .await();

        exit.await();
        assertThat(backend.findAlive(id, process).await()).isEmpty();
        assertThat(backend.describeExit(id, process).await()).isEqualTo("removed by someone else");
    }

    @Test
    void what_another_platform_runs_is_neither_seen_nor_touched() {
        var other = new DockerBackend(vertx, TestEngine.settings(vertx));
        var process = start(Map.of("SCRIPT", STEADY));

        assertThat(other.findAll().await()).doesNotContainKey(id);
        assertThatThrownBy(() ->
                        other.start(launch(Map.of("SCRIPT", STEADY), 2, 1)).await())
                .isInstanceOf(StartRefused.class)
                .hasMessageContaining("that is not this platform's");
        other.delete(id).await();

        assertThat(backend.findAlive(id, process).await()).contains(process);
        assertThat(leftOf(id)).hasSize(5);
    }

    @Test
    void an_image_that_is_nowhere_fails_the_start_with_its_name() {
        var backend = new DockerBackend(
                vertx, TestEngine.settings(vertx, "MOLECULE_IMAGE_ECHO", "127.0.0.1:9/molecule/none:1"));

        assertThatThrownBy(() -> backend.start(launch(Map.of(), 2, 1)).await())
                .isInstanceOf(StartRefused.class)
                .hasMessage("workspace start failed: there is no image 127.0.0.1:9/molecule/none:1, and it cannot be"
                        + " pulled");
        assertThat(leftOf(id)).isEmpty();
    }

    @Test
    void an_engine_that_is_away_fails_a_first_start_and_nothing_else_is_concluded() {
        var backend =
                new DockerBackend(vertx, TestEngine.settings(vertx, "DOCKER_HOST", "unix:///nowhere/docker.sock"));

        assertThatThrownBy(() -> backend.ping().await()).hasMessageContaining("/nowhere/docker.sock does not answer");
        assertThatThrownBy(() -> backend.start(launch(Map.of(), 2, 1)).await())
                .isInstanceOf(StartRefused.class)
                .hasMessage("workspace start failed: the Docker engine does not answer");
        assertThatThrownBy(() -> backend.start(launch(Map.of(), 2, 2)).await()).isNotInstanceOf(StartRefused.class);
        assertThatThrownBy(() -> backend.findAlive(id, null).await()).hasMessageContaining("does not answer");
        assertThatThrownBy(() -> backend.delete(id).await()).hasMessageContaining("does not answer");
    }

    @Test
    void agents_reach_each_other_by_name() {
        assertThat(backend.internalUrl(id, 20_000))
                .isEqualTo("http://ws-" + id.toString().substring(0, 12) + ":8000");
        var inside = new DockerBackend(vertx, TestEngine.settings(vertx, "MOLECULE_DOCKER_DIAL", "network"));
        assertThat(inside.url(id, 20_000)).isEqualTo(inside.internalUrl(id, 20_000));
    }
}
