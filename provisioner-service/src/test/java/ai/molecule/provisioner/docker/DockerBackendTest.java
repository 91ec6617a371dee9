package ai.molecule.provisioner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.BackendContract;
import ai.molecule.provisioner.backend.StartRefused;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

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
        var refused = new AgentContainer(settings, new Names("p"), null).of(launch(Map.of(), 4, 1), "image");
        var allowed = new AgentContainer(
                        TestEngine.settings(vertx, "MOLECULE_ALLOW_PRIVILEGED", "1"), new Names("p"), null)
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
                .hasMessage(
                        "workspace start failed: there is no image 127.0.0.1:9/molecule/none:1, and it cannot be pulled");
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
