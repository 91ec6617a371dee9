package ai.molecule.provisioner.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.BackendContract;
import ai.molecule.provisioner.backend.StartRefused;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
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
        return TestEngine.leftOf(vertx, workspaceId);
    }

    @Override
    protected String tokenFile() {
        return "/configs/.auth_token";
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
    void whatever_an_agent_is_made_to_run_reads_none_of_the_platforms_keys(@TempDir Path secrets) throws IOException {
        var key = Files.writeString(secrets.resolve("admin-token"), "the-platforms-own");
        Files.setPosixFilePermissions(secrets, PosixFilePermissions.fromString("rwxr-xr-x"));

        start(Map.of(
                "SCRIPT",
                "id -u; cat %s 2>/dev/null || echo closed; ls /run/docker.sock 2>/dev/null || echo no engine;"
                                .formatted(key)
                        + " env | cut -d= -f1 | grep -c 'ADMIN_TOKEN\\|ENCRYPTION_KEY\\|DATABASE_URL\\|EDGE_SECRET';"
                        + " grep -h 'CapEff\\|NoNewPrivs' /proc/self/status | tr -d ' \\t'; echo over; sleep 60"));

        awaitLog("over");
        assertThat(log().lines())
                .containsExactly(
                        "10001", "closed", "no engine", "0", "CapEff:0000000000000000", "NoNewPrivs:1", "over");
    }

    @Test
    void agents_reach_each_other_by_name() {
        assertThat(backend.internalUrl(id, 20_000))
                .isEqualTo("http://ws-" + id.toString().substring(0, 12) + ":8000");
        var inside = new DockerBackend(vertx, TestEngine.settings(vertx, "MOLECULE_DOCKER_DIAL", "network"));
        assertThat(inside.url(id, 20_000)).isEqualTo(inside.internalUrl(id, 20_000));
    }
}
