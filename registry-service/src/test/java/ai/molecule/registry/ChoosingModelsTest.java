package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.SecretsFor;
import io.vertx.core.http.HttpMethod;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /workspaces/:id/model}: the model an agent is told to use. */
class ChoosingModelsTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void nothing_is_chosen_at_first() {
        assertThat(registry.get(path(registry.create("Agent")), ADMIN))
                .hasToString("200 {\"model\":\"\",\"source\":\"default\"}");
    }

    @Test
    void a_choice_is_what_the_agent_gets_and_can_be_taken_back() {
        String id = registry.create("Agent");

        assertThat(put(id, "{\"model\":\"openai:gpt-4.1\"}"))
                .hasToString("200 {\"status\":\"saved\",\"model\":\"openai:gpt-4.1\"}");
        assertThat(registry.get(path(id), ADMIN))
                .hasToString("200 {\"model\":\"openai:gpt-4.1\",\"source\":\"workspace_secrets\"}");
        assertThat(environmentOf(id)).hasToString("Bundle[keys=[MODEL_PROVIDER], failedKeys=[]]");
        assertThat(environmentOf(id).values()).containsEntry("MODEL_PROVIDER", "openai:gpt-4.1");

        assertThat(put(id, "{\"model\":\"\"}")).hasToString("200 {\"status\":\"cleared\"}");
        assertThat(put(id, "{\"model\":\"\"}")).hasToString("200 {\"status\":\"cleared\"}");
        assertThat(registry.get(path(id), ADMIN)).hasToString("200 {\"model\":\"\",\"source\":\"default\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|invalid request body",
                "{\"model\":null}|invalid request body",
                "{\"model\":7}|invalid request body",
                "{\"model\":\"a\\u0000b\"}|invalid request body",
                "{\"model\":\"a\\nb\"}|model must not contain newline characters"
            })
    void a_model_that_is_no_single_line_of_text_is_refused(String body, String error) {
        String id = registry.create("Agent");

        assertThat(put(id, body)).hasToString("400 {\"error\":\"%s\"}".formatted(error));
        assertThat(registry.get(path(id), ADMIN).text("source")).isEqualTo("default");
    }

    @Test
    void a_model_has_at_most_100_bytes() {
        String id = registry.create("Agent");

        assertThat(put(id, "{\"model\":\"%s\"}".formatted("m".repeat(100))).status())
                .isEqualTo(200);
        assertThat(put(id, "{\"model\":\"%s\"}".formatted("ü".repeat(51))))
                .hasToString("400 {\"error\":\"model must be at most 100 characters\"}");
    }

    @Test
    void a_workspace_that_is_not_there_has_no_model() {
        assertThat(put(UUID.randomUUID().toString(), "{\"model\":\"m\"}"))
                .hasToString("404 {\"error\":\"workspace not found\"}");
        assertThat(put("nonsense", "{\"model\":\"m\"}")).hasToString("400 {\"error\":\"invalid workspace ID\"}");
    }

    private static RunningRegistry.Answer put(String id, String body) {
        return registry.send(HttpMethod.PUT, path(id), body, ADMIN);
    }

    private static String path(String id) {
        return "/workspaces/" + id + "/model";
    }

    private static SecretsFor.Bundle environmentOf(String id) {
        return registry.bus
                .call(SecretsFor.CONTRACT, new SecretsFor(UUID.fromString(id)))
                .await();
    }
}
