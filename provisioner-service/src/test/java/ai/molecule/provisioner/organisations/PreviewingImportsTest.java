package ai.molecule.provisioner.organisations;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an import would make is told before anything is made, and refused as the import itself would be. */
class PreviewingImportsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static ServedOrganisations served;

    @BeforeAll
    static void start() {
        served = new ServedOrganisations(folder);
        served.write("plugins/polite/plugin.yaml", "name: polite");
    }

    @AfterEach
    void nothing_was_created() {
        assertThat(served.registry.imports.created()).isEmpty();
        assertThat(folder.resolve("data/workspaces"))
                .satisfiesAnyOf(
                        absent -> assertThat(absent).doesNotExist(),
                        empty -> assertThat(empty).isEmptyDirectory());
    }

    @AfterAll
    static void stop() {
        served.close();
    }

    @Test
    void it_tells_who_would_be_there_under_whom_by_what_and_what_is_missing() {
        served.registry.globalSecrets("THERE");
        var answer = served.preview("""
                name: Shop
                description: sells
                required_env: [THERE, A_KEY, {any_of: [B_KEY, C_KEY]}]
                recommended_env: [D_KEY]
                workspaces:
                  - name: Lead
                    role: decides
                    runtime: claude-code
                    tier: 3
                    children:
                      - {name: Writer, runtime: echo, plugins: [polite, absent]}
                      - {name: Elsewhere, external: true, url: "https://a.example"}
                  - {name: Other, runtime: langgraph, model: "openai:gpt"}
                """);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body().path("dry_run").asBoolean()).isTrue();
        assertThat(answer.body().path("count").asInt()).isEqualTo(4);
        var agents = answer.body().path("workspaces");
        assertThat(agents)
                .extracting(each -> each.path("name").asText())
                .containsExactly("Lead", "Writer", "Elsewhere", "Other");
        assertThat(agents).extracting(each -> each.path("parent").asText()).containsExactly("null", "0", "0", "null");
        assertThat(Json.text(agents.path(0)))
                .isEqualTo(
                        "{\"name\":\"Lead\",\"role\":\"decides\",\"parent\":null,\"tier\":3,\"runtime\":\"claude-code\","
                                + "\"model\":\"sonnet\",\"external\":false,\"template\":null,\"plugins\":[]}");
        assertThat(Json.text(agents.path(1).path("plugins"))).isEqualTo("[\"polite\"]");
        assertThat(agents.path(2).path("external").asBoolean()).isTrue();
        assertThat(agents.path(3).path("model").asText()).isEqualTo("openai:gpt");
        assertThat(Json.text(answer.body().path("warnings"))).contains("Writer", "there is no plugin absent");
        assertThat(Json.text(answer.body().path("missing_env")))
                .isEqualTo("[\"A_KEY\",{\"any_of\":[\"B_KEY\",\"C_KEY\"]}]");
        assertThat(Json.text(answer.body().path("missing_recommended_env"))).isEqualTo("[\"D_KEY\"]");
    }

    @Test
    void what_the_import_refuses_the_preview_refuses_in_the_same_words() {
        for (String refused : List.of(
                "workspaces: [!include none.yaml]",
                "workspaces: [{name: A, tier: nine}]",
                "workspaces: [{}]",
                "not: [yaml",
                "workspaces: [{name: \"two\\nlines\"}]")) {
            var preview = served.preview(refused);

            assertThat(preview.status()).as(refused).isEqualTo(400);
            assertThat(preview.body())
                    .as(refused)
                    .isEqualTo(served.importYaml(refused).body());
        }
        assertThat(served.post("/org/import?dry_run=1", "{\"dir\":\"nowhere\"}").status())
                .isEqualTo(404);
        assertThat(served.post("/org/import?dry_run=maybe", "{\"dir\":\"nowhere\"}")
                        .error())
                .isEqualTo("dry_run must be 1 or 0");
    }
}
