package ai.molecule.provisioner.bundles;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import ai.molecule.common.json.Json;
import ai.molecule.provisioner.organisations.ServedOrganisations;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A tree of workspaces out as one document and in again, without the secrets. */
class ExchangingBundlesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static ServedOrganisations served;

    @BeforeAll
    static void start() {
        served = new ServedOrganisations(folder);
    }

    @AfterEach
    void forget() {
        served.registry.secrets(Map.of());
        served.registry.forgetAll();
    }

    @AfterAll
    static void stop() {
        served.close();
    }

    @Test
    void what_was_imported_is_exported_as_it_was() {
        var source = organisation();
        var first = exported(source);

        var answer = served.post("/bundles/import", Json.text(first));

        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.body().path("status").asText()).isEqualTo("provisioning");
        assertThat(answer.body().path("children")).hasSize(2);
        var second = exported(UUID.fromString(answer.body().path("workspace_id").asText()));
        assertThat(Json.text(withoutIds(second))).isEqualTo(Json.text(withoutIds(first)));
        var item = served.registry.imports.created().get(3);
        assertThat(item.sourceBundleId()).isEqualTo(source.toString());
        assertThat(item.agent().runtime()).isEqualTo("echo");
        assertThat(served.registry.imports.created().get(4).parentId()).isEqualTo(item.id());
    }

    @Test
    void a_bundle_has_the_documented_members_and_the_files_in_their_places() {
        var bundle = exported(organisation());

        assertThat(bundle.properties())
                .extracting(Map.Entry::getKey)
                .startsWith(
                        "schema",
                        "id",
                        "name",
                        "description",
                        "tier",
                        "model",
                        "system_prompt",
                        "skills",
                        "tools",
                        "prompts",
                        "sub_workspaces",
                        "agent_card",
                        "author",
                        "version");
        assertThat(bundle.path("schema").asText()).isEqualTo("1.0");
        assertThat(bundle.path("system_prompt").asText()).isEqualTo("Lead.");
        assertThat(bundle.path("prompts").path("config.yaml").asText()).contains("runtime: echo\n");
        assertThat(bundle.path("prompts").path("docs/rules.md").asText()).isEqualTo("kind");
        assertThat(bundle.path("skills").path(0).path("files").path("SKILL.md").asText())
                .contains("digs");
        assertThat(bundle.path("skills").path(0).path("description").asText()).isEqualTo("digs");
        assertThat(bundle.path("sub_workspaces").path(1).path("url").asText()).isEqualTo("https://a.example.com");
    }

    @Test
    void an_export_names_the_runtime_that_the_registry_has_and_not_the_one_of_an_older_config() {
        var id = organisation();
        served.write("data/workspaces/" + id + "/configs/config.yaml", "name: Lead\nruntime: delegate\nmodel: m\n");

        assertThat(exported(id).path("prompts").path("config.yaml").asText())
                .isEqualTo("name: Lead\nruntime: echo\nmodel: m\n");
    }

    @Test
    void the_agent_card_comes_back_without_secrets_and_must_be_an_object() {
        var sent = exported(organisation());
        sent.set(
                "agent_card",
                Json.object().put("name", "Lead").set("skills", Json.object().put("id", "dig")));
        served.registry.secrets(Map.of("A_KEY", "correct-horse-battery"));
        ((ObjectNode) sent.path("agent_card")).put("hint", "correct-horse-battery");

        var answer = served.post("/bundles/import", Json.text(sent));

        var again = exported(UUID.fromString(answer.body().path("workspace_id").asText()));
        assertThat(Json.text(again.path("agent_card")))
                .isEqualTo("{\"name\":\"Lead\",\"skills\":{\"id\":\"dig\"},\"hint\":\"[REDACTED]\"}");
        assertThat(again.path("sub_workspaces").path(0).path("agent_card").isNull())
                .isTrue();
        assertThat(served.post("/bundles/import", "{\"schema\":\"1.0\",\"name\":\"a\",\"agent_card\":[]}")
                        .body()
                        .path("problem")
                        .asText())
                .isEqualTo("agent_card must be an object");
    }

    @Test
    void secrets_stay_at_home() {
        var id = organisation();
        served.registry.secrets(Map.of("A_KEY", "correct-horse-battery"));
        String configs = "data/workspaces/" + id + "/configs/";
        served.write(
                        configs + "notes.md",
                        "say correct-horse-battery and sk-abcdefghijklmnop1234, by risk-management-framework-v2")
                .write(configs + "settings.txt", "API_KEY=hunter22222\npassword: \"tell-nobody\"\n")
                .write(configs + ".auth_token", "tok")
                .write(configs + ".env", "X=y");

        String bundle = Json.text(exported(id));

        assertThat(bundle)
                .doesNotContain("correct-horse", "sk-abc", "hunter2", "tell-nobody", ".auth_token", ".env")
                .contains("say [REDACTED] and [REDACTED], by risk-management-framework-v2");
    }

    @Test
    void one_that_is_not_there_cannot_be_exported() {
        assertThat(served.get("/bundles/export/" + UUID.randomUUID()).error()).isEqualTo("bundle not found");
        assertThat(served.get("/bundles/export/x").error()).isEqualTo("invalid workspace ID");
    }

    @ParameterizedTest
    @MethodSource("broken")
    void what_is_no_bundle_creates_nothing(String body, String problem) {
        var answer = served.post("/bundles/import", body);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.error() + " " + answer.body().path("problem").asText())
                .contains(problem);
        assertThat(served.registry.imports.created()).isEmpty();
    }

    static Stream<Arguments> broken() {
        String deep = "{\"schema\":\"1.0\",\"name\":\"a\",\"sub_workspaces\":[";
        String many = "{\"schema\":\"1.0\",\"name\":\"a\"},".repeat(1_001);
        return Stream.of(
                Arguments.of("[]", "invalid request body"),
                Arguments.of("{}", "schema must be \"1.0\""),
                Arguments.of("{\"schema\":\"2.0\",\"name\":\"a\"}", "schema must be \"1.0\""),
                Arguments.of("{\"schema\":\"1.0\"}", "a workspace has no name"),
                Arguments.of("{\"schema\":\"1.0\",\"name\":7}", "name must be a text"),
                Arguments.of("{\"schema\":\"1.0\",\"name\":\"a\",\"tier\":\"x\"}", "tier must be a whole number"),
                Arguments.of("{\"schema\":\"1.0\",\"name\":\"a\",\"prompts\":[]}", "prompts must be an object"),
                Arguments.of(
                        "{\"schema\":\"1.0\",\"name\":\"a\",\"prompts\":{\"../x\":\"\"}}",
                        "a file cannot be at \"../x\""),
                Arguments.of("{\"schema\":\"1.0\",\"name\":\"a\",\"prompts\":{\".auth_token\":\"\"}}", "cannot be at"),
                Arguments.of(
                        "{\"schema\":\"1.0\",\"name\":\"a\",\"skills\":[{\"id\":\"..\",\"files\":{}}]}",
                        "cannot be at"),
                Arguments.of("{\"schema\":\"1.0\",\"name\":\"a\\nb\"}", "name must not contain newline characters"),
                Arguments.of(deep.repeat(60) + "]}".repeat(60), "nested deeper than 50 levels"),
                Arguments.of(deep + many.substring(0, many.length() - 1) + "]}", "1002 workspaces are too many"));
    }

    private static UUID organisation() {
        served.importYaml("""
                workspaces:
                  - name: Lead
                    role: leads
                    runtime: echo
                    tier: 1
                    system_prompt: Lead.
                    initial_prompt: "Say hello"
                    children:
                      - {name: Below, runtime: delegate, max_concurrent_tasks: 3, hibernation_idle_minutes: 7}
                      - {name: Out, external: true, url: "https://a.example.com"}
                """);
        var id = served.registry.imports.created().stream()
                .map(Item::id)
                .findFirst()
                .orElseThrow();
        String configs = "data/workspaces/" + id + "/configs/";
        served.write(configs + "docs/rules.md", "kind")
                .write(configs + "skills/dig/SKILL.md", "---\nname: Digging\ndescription: digs\n---\n");
        return id;
    }

    private static ObjectNode exported(UUID id) {
        var answer = served.get("/bundles/export/" + id);
        assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
        return (ObjectNode) answer.body();
    }

    private static JsonNode withoutIds(ObjectNode bundle) {
        bundle.remove("id");
        bundle.path("sub_workspaces").forEach(child -> withoutIds((ObjectNode) child));
        return bundle;
    }
}
