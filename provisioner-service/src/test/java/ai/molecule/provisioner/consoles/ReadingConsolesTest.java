package ai.molecule.provisioner.consoles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.backend.NoBackend;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code /workspaces/:id/console}, of real processes. */
@ExtendWith(VertxExtension.class)
class ReadingConsolesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @BeforeEach
    void start(Vertx vertx) {
        var agent = ScriptedAgents.script("echo the key is a-secret-key; while :; do sleep 0.1; done");
        provisioning = new Provisioning(vertx, data, agent).start();
    }

    @AfterEach
    void close() {
        provisioning.close();
    }

    @Test
    void what_an_agent_printed_is_read_without_its_secrets() {
        provisioning.registry.secrets(Map.of("KEY", "a-secret-key"));
        var id = provisioning.running();
        var client = provisioning.serve(provisioning.backend());

        await().until(() -> !console(client, id).endsWith("\"output\":\"\"}"));
        assertThat(console(client, id)).isEqualTo("200 {\"output\":\"the key is ***\"}");
    }

    @Test
    void nothing_is_quoted_while_the_secrets_are_not_known() {
        var id = provisioning.running();
        provisioning.registry.undecryptable("workspace:KEY");

        assertThat(console(provisioning.serve(provisioning.backend()), id)).startsWith("409 ");
    }

    @Test
    void who_is_not_ours_has_no_console() {
        var client = provisioning.serve(provisioning.backend());

        assertThat(console(client, UUID.randomUUID())).isEqualTo("404 {\"error\":\"workspace not found\"}");
        assertThat(console(client, provisioning.registry.stranger("Guest", "external")))
                .isEqualTo("404 {\"error\":\"workspace not found\"}");
    }

    @Test
    void without_a_backend_there_is_none() {
        Backend none = new NoBackend();

        assertThat(console(provisioning.serve(none), UUID.randomUUID()))
                .isEqualTo("501 {\"error\":\"agents run elsewhere: there is no console here\"}");
    }

    private static String console(WebClient client, UUID id) {
        var answer = client.get("/workspaces/" + id + "/console").send().await();
        return answer.statusCode() + " " + answer.bodyAsString();
    }
}
