package ai.molecule.provisioner.templates;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import ai.molecule.provisioner.shipped.ShippedFolder;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The templates that come with Molecule, as {@code GET /templates} shows them. */
@ExtendWith(VertxExtension.class)
class ShippingTemplatesTest {

    private static final int READ_AT_A_GLANCE_CHARS = 1_500;

    @Test
    void a_platform_without_templates_begins_with_ten_that_can_be_read_at_a_glance(Vertx vertx, @TempDir Path data)
            throws IOException {
        try (var provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY).start()) {
            ShippedFolder.TEMPLATES
                    .layOutWhereNothingIs(vertx, data.resolve("templates"))
                    .await();

            var answer = provisioning
                    .serve(provisioning.backend())
                    .get("/templates")
                    .send()
                    .await();

            Map<String, JsonNode> shown = new TreeMap<>();
            Json.MAPPER
                    .readTree(answer.bodyAsString())
                    .forEach(each -> shown.put(each.path("id").asText(), each));
            assertThat(shown.keySet())
                    .containsExactly(
                            "claude-code-default",
                            "coder",
                            "codex-default",
                            "coordinator",
                            "gemini-cli-default",
                            "langgraph-default",
                            "researcher",
                            "reviewer",
                            "tester",
                            "writer");
            assertThat(shown.values()).allSatisfy(template -> {
                assertThat(template.path("name").asText()).isNotEmpty();
                assertThat(template.path("description").asText()).isNotEmpty();
                assertThat(data.resolve("templates")
                                .resolve(template.path("id").asText())
                                .resolve("system-prompt.md"))
                        .content()
                        .hasSizeBetween(100, READ_AT_A_GLANCE_CHARS);
            });
        }
    }
}
