package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Agents in number, in trouble, and with a past. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(SharedPlatform.class)
class ManyAgentsIT {

    private Platform platform;

    @BeforeAll
    void start(Platform shared) {
        platform = shared;
    }

    @Test
    void twenty_created_at_once_all_come_online() {
        var ids = IntStream.range(0, 20)
                .mapToObj(i -> platform.create("Twentieth " + i, "echo", null))
                .toList();

        await().until(() -> ids.stream().allMatch(id -> platform.status(id).equals("online")));

        ids.forEach(id -> platform.delete("/workspaces/" + id));
    }

    @Test
    void a_killed_agent_is_online_again_and_hears_of_its_restart_and_everybody_how_it_ended() throws IOException {
        String id = platform.create("Mortal", "codex", null); // made to write down what it hears
        var folder = platform.data().resolve("workspaces/" + id);
        var heard = folder.resolve("workspace/heard");
        await().until(() -> Files.exists(folder.resolve("configs/config.yaml")));
        Files.writeString(
                folder.resolve("configs/config.yaml"), "runtime_config: {command: sh, args: [-c, 'cat >>heard']}\n");
        platform.post(200, "/workspaces/" + id + "/restart", "");
        platform.awaitStatus(id, "online");
        await().until(() -> contexts(heard) == 1);
        var before = platform.agentProcess(id);

        before.destroyForcibly();

        await().until(() -> before.isAlive() == false
                && last(id, "WORKSPACE_OFFLINE").path("exit").asText().equals("killed by SIGKILL"));
        platform.awaitStatus(id, "online");
        assertThat(last(id, "WORKSPACE_OFFLINE").path("log_tail").asText()).contains("agent listening");
        await().until(() -> contexts(heard) == 2);
        assertThat(platform.get("/workspaces/" + id + "/activity").toString()).doesNotContain("RESTART CONTEXT");
    }

    private static int contexts(Path heard) throws IOException {
        return Files.exists(heard)
                ? Files.readString(heard).split("=== WORKSPACE RESTART CONTEXT ===", -1).length - 1
                : 0;
    }

    @Test
    void an_agent_whose_settings_are_wrong_is_failed_at_once_and_not_started_again() throws IOException {
        String id = platform.create("Broken", "echo", null);
        platform.awaitStatus(id, "online");
        Files.writeString(platform.data().resolve("workspaces/" + id + "/configs/config.yaml"), "a2a: [\n");

        platform.post(200, "/workspaces/" + id + "/restart", "");

        await().until(() -> platform.status(id).equals("failed"));
        var failed = last(id, "WORKSPACE_PROVISION_FAILED");
        assertThat(failed.path("error").asText())
                .startsWith("workspace start failed: preflight failed: Configuration: ")
                .contains("is not YAML");
        assertThat(failed.path("log_tail").asText()).contains("[FAIL] Configuration");
    }

    @Test
    void a_runtime_whose_model_has_no_key_fails_with_a_sentence_that_says_so() {
        String id = platform.create("Assistant", "langgraph", null);

        await().until(() -> platform.status(id).equals("failed"));

        assertThat(last(id, "WORKSPACE_PROVISION_FAILED").path("error").asText())
                .startsWith("workspace start failed: preflight failed: Model: ");
        assertThat(platform.get("/workspaces/" + id).path("runtime").asText()).isEqualTo("langgraph");
    }

    private JsonNode last(String id, String type) {
        return StreamSupport.stream(platform.get("/events/" + id).spliterator(), false)
                .filter(event -> event.path("event_type").asText().equals(type))
                .findFirst()
                .map(event -> event.path("payload"))
                .orElse(Platform.JSON.createObjectNode());
    }
}
