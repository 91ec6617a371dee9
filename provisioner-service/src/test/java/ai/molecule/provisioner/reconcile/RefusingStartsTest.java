package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.bus.registry.Transition;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.provisioner.backend.Adapters;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an agent needs and does not have ends its start in one sentence. */
@ExtendWith(VertxExtension.class)
class RefusingStartsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    @BeforeEach
    void start(Vertx vertx) {
        provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY).start();
    }

    @AfterEach
    void close() {
        provisioning.close();
    }

    @Test
    void a_missing_key_is_named() throws IOException {
        var id = withConfig("runtime_config:\n  required_env: [OPENAI_API_KEY]\n");

        provisioning.reconcile(id);

        String error =
                "missing required env var \"OPENAI_API_KEY\" — add it under Config → Env Vars (or as a Global secret)"
                        + " and retry";
        assertThat(provisioning.registry.transitions())
                .containsExactly(new Transition(
                        id,
                        1,
                        WorkspaceStatus.FAILED,
                        Map.of("error", error, "missing", List.of("OPENAI_API_KEY")),
                        error));
        assertThat(provisioning.registry.tokens()).isEmpty();
        assertThat(Provisioning.processesOf(id)).isZero();
    }

    @Test
    void a_start_waits_for_a_store_that_gives_no_value() throws IOException {
        var id = withConfig("name: Waits\n");
        provisioning.registry.unreadable("workspace:TOKEN");

        assertThatThrownBy(() -> provisioning.reconcile(id)).hasMessageContaining("workspace:TOKEN cannot be read");

        assertThat(provisioning.registry.transitions()).isEmpty();
        assertThat(provisioning.registry.tokens()).isEmpty();
        assertThat(Provisioning.processesOf(id)).isZero();
    }

    @Test
    void several_missing_keys_are_named_together_and_those_there_are_not() throws IOException {
        provisioning.registry.secrets(Map.of("B", "there", "C", " "));
        var id = withConfig("runtime_config:\n  required_env: [A, B, C]\n");

        provisioning.reconcile(id);

        assertThat(provisioning.registry.transitions().getFirst().error())
                .isEqualTo(
                        "missing required env vars A, C — add them under Config → Env Vars (or as Global secrets) and"
                                + " retry");
    }

    @Test
    void with_its_keys_it_starts_and_a_config_that_is_no_yaml_is_the_agents_to_complain_about() throws IOException {
        provisioning.registry.secrets(Map.of("A", "there"));
        var whole = withConfig("runtime_config:\n  required_env: [A]\n");
        var broken = withConfig("runtime_config: [\n");

        provisioning.reconcile(whole);
        provisioning.reconcile(broken);

        assertThat(provisioning.pid(whole)).isNotZero();
        assertThat(provisioning.pid(broken)).isNotZero();
    }

    @ParameterizedTest
    @CsvSource({
        "langgraph, langchain4j",
        "deepagents, langchain4j",
        "crewai, langchain4j",
        "autogen, langchain4j",
        "openclaw, langchain4j",
        "hermes, langchain4j",
        "claude-code, cli",
        "codex, cli",
        "gemini-cli, cli",
        "echo, echo",
        "delegate, delegate",
        "unheard-of, langchain4j"
    })
    void every_runtime_has_its_adapter(String runtime, String adapter) {
        assertThat(Adapters.of(runtime)).isEqualTo(adapter);
        assertThat(Adapters.refusal(runtime, Set.of(adapter))).isEmpty();
        assertThat(Adapters.refusal(runtime, Set.of()).orElseThrow().error())
                .isEqualTo(
                        "runtime \"%s\" cannot run here yet: it needs the adapter %s, and the agents' runtime has none"
                                .formatted(runtime, adapter));
    }

    private UUID withConfig(String yaml) throws IOException {
        var id = provisioning.registry.create("external"); // so that no sweep starts it before its config is there
        var configs = Files.createDirectories(data.resolve("workspaces/" + id + "/configs"));
        Files.writeString(configs.resolve("config.yaml"), yaml);
        provisioning.registry.runtime(id, "echo");
        return id;
    }
}
