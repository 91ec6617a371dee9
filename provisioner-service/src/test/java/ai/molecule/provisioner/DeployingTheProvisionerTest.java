package ai.molecule.provisioner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.Reconcile;
import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.StandInRegistry;
import ai.molecule.provisioner.testing.TinyAgent;
import ai.molecule.testkit.Kept;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The whole service, from its environment to a JVM that runs. */
@ExtendWith(VertxExtension.class)
class DeployingTheProvisionerTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    private UUID id = UUID.randomUUID();

    @AfterEach
    void endProcesses() {
        Processes.kill(id);
    }

    @Test
    void an_agent_is_a_small_jvm_that_outlives_the_provisioner(Vertx vertx) throws IOException {
        var registry = StandInRegistry.on(vertx);
        var jar = TinyAgent.jarIn(data);
        id = registry.create("echo");
        var verticle = provisioner("MOLECULE_BACKEND", "process", "MOLECULE_RUNTIME_JAR", jar.toString());

        String deployment = vertx.deployVerticle(verticle).await();

        var log = data.resolve("workspaces/" + id + "/log/agent.log");
        await().ignoreException(NoSuchFileException.class)
                .untilAsserted(() -> assertThat(Files.readString(log)).contains("agent " + id + " heap 12"));
        assertThat(Kept.kept(WebClient.create(vertx))
                        .get(verticle.actualPort(), "127.0.0.1", "/ready")
                        .send()
                        .await()
                        .bodyAsString())
                .isEqualTo("{\"status\":\"ready\"}");
        vertx.undeploy(deployment).await();
        assertThat(Processes.marked(id)).hasSize(1);
    }

    @Test
    void a_second_one_with_another_data_folder_is_refused_and_the_agent_of_the_first_lives(
            Vertx vertx, @TempDir Path another) throws IOException {
        StandInRegistry.on(vertx);
        var jar = TinyAgent.jarIn(data).toString();
        String database = TestStores.freshDatabase();
        String[] process = {"MOLECULE_BACKEND", "process", "MOLECULE_RUNTIME_JAR", jar, "DATABASE_URL", database};
        var first = vertx.deployVerticle(provisioner(process)).await();
        var env = TestConfig.env(process);
        env.put("MOLECULE_DATA", another.toString());

        assertThatThrownBy(() -> vertx.deployVerticle(new ProvisionerVerticle(ProvisionerConfig.fromEnv(env)))
                        .await())
                .hasMessageContaining(data.toRealPath().toString())
                .hasMessageContaining("stop the provisioner there");
        var beside = vertx.deployVerticle(provisioner(process)).await();

        vertx.undeploy(beside).await();
        vertx.undeploy(first).await();
        vertx.deployVerticle(new ProvisionerVerticle(ProvisionerConfig.fromEnv(env)))
                .await();
    }

    @Test
    void a_jar_that_is_not_there_fails_the_workspace_with_a_reason(Vertx vertx) {
        var registry = StandInRegistry.on(vertx);
        id = registry.create("echo");

        vertx.deployVerticle(provisioner("MOLECULE_BACKEND", "process", "MOLECULE_RUNTIME_JAR", "/nowhere.jar"))
                .await();

        await().until(() -> registry.get(id).status() == WorkspaceStatus.FAILED);
        assertThat(registry.transitions().getFirst().error())
                .isEqualTo("workspace start failed: the workspace runtime is not installed (MOLECULE_RUNTIME_JAR)");
    }

    @Test
    void without_a_backend_a_managed_workspace_fails_with_a_reason(Vertx vertx) {
        var registry = StandInRegistry.on(vertx);
        vertx.deployVerticle(provisioner("MOLECULE_BACKEND", "none")).await();
        id = registry.create("echo");

        new Bus(vertx).poke(Reconcile.HINT, new Reconcile(id));

        await().until(() -> !registry.transitions().isEmpty());
        assertThat(registry.transitions())
                .containsExactly(new Transition(
                        id,
                        1,
                        WorkspaceStatus.FAILED,
                        Map.of("error", "no backend is configured on this platform instance"),
                        "no backend is configured — managed workspaces need MOLECULE_BACKEND (process, docker or"
                                + " kubernetes); others register themselves"));
    }

    @Test
    void what_a_crash_left_of_uploads_is_gone_after_the_next_start(Vertx vertx) throws IOException {
        var left = Files.createDirectories(data.resolve("uploads/chat-1")).resolve("half.bin");
        Files.writeString(left, "half");

        vertx.deployVerticle(provisioner("MOLECULE_BACKEND", "none")).await();

        assertThat(left).doesNotExist();
    }

    private ProvisionerVerticle provisioner(String... overrides) {
        var env = TestConfig.env(overrides);
        env.put("MOLECULE_DATA", data.toString());
        return new ProvisionerVerticle(ProvisionerConfig.fromEnv(env));
    }
}
