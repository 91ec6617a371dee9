package ai.molecule.provisioner.organisations;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Files made to hurt, or just wrong: a documented answer, and nothing created. */
class RefusingHostileOrganisationsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static ServedOrganisations served;

    @BeforeAll
    static void start() {
        served = new ServedOrganisations(folder);
    }

    @AfterAll
    static void stop() {
        served.close();
    }

    @AfterEach
    void nothingIsCreated() {
        assertThat(served.registry.imports.created()).isEmpty();
        assertThat(folder.resolve("data/workspaces").toFile().list()).isNullOrEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("hostile")
    void it_is_refused_with_what_is_wrong(String name, String yaml, String problem) {
        var answer = served.importYaml(yaml);

        assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
        assertThat(answer.error()).isEqualTo("invalid org template");
        assertThat(answer.problem()).contains(problem);
    }

    static Stream<Arguments> hostile() {
        var laughs = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 9; i++) {
            laughs.append(
                    "a%d: &a%d [%s]\n".formatted(i, i, "*a%d,".formatted(i - 1).repeat(5)));
        }
        String strings = "x: &x \"" + "y".repeat(100_000) + "\"\nworkspaces: [" + "*x,".repeat(200) + "]";
        return Stream.of(
                Arguments.of("laughing", laughs + "workspaces: *a8", "values"),
                Arguments.of("long texts again and again", strings, "more than 8388608 characters"),
                Arguments.of("within itself", "workspaces: &w [{name: a, children: *w}]", "org.yaml"),
                Arguments.of("deep", "workspaces: " + "[".repeat(5_000) + "]".repeat(5_000), "org.yaml is no YAML"),
                Arguments.of("large", "workspaces: []\n#" + "x".repeat(1024 * 1024), "is larger than 1 MiB"),
                Arguments.of("an object", "workspaces: !!javax.script.ScriptEngineManager []", "org.yaml is no YAML"),
                Arguments.of("no YAML", "workspaces: [", "org.yaml is no YAML"),
                Arguments.of("empty", "", "null found, object expected"),
                Arguments.of("twice", "workspaces: []\nworkspaces: []", "duplicate key"),
                Arguments.of("without anybody", "workspaces: []", "$.workspaces: "),
                Arguments.of("nameless", "workspaces: [{role: x}]", "required property 'name' not found"),
                Arguments.of(
                        "wrong type",
                        "workspaces: [{name: 7}]",
                        "$.workspaces[0].name: integer found, string expected"),
                Arguments.of("NUL", "workspaces: [{name: \"a\\0b\"}]", "NUL"),
                Arguments.of(
                        "a prompt elsewhere", "workspaces: [{name: a, initial_prompt_file: ../../x}]", "invalid path"),
                Arguments.of(
                        "a prompt that is not there",
                        "workspaces: [{name: a, idle_prompt_file: x}]",
                        "there is no file x"),
                Arguments.of(
                        "too many",
                        "workspaces:\n" + "- {name: a}\n".repeat(1_001),
                        "1001 workspaces are too many, at most 1000"));
    }

    @Test
    void what_the_registry_refuses_is_refused() {
        assertThat(served.importYaml("workspaces: [{name: \"two\\nlines\"}]").error())
                .isEqualTo("workspace \"two\nlines\": name must not contain newline characters");
    }

    @Test
    void includes_that_lead_out_in_circles_or_nowhere_are_refused() throws IOException {
        served.write("secret.yaml", "name: stolen")
                .write("org-templates/circle/org.yaml", "workspaces: [!include a.yaml]")
                .write("org-templates/circle/a.yaml", "name: a\nchildren: [!include sub/b.yaml]")
                .write("org-templates/circle/sub/b.yaml", "!include ../a.yaml")
                .write("org-templates/out/org.yaml", "workspaces: [!include ../../secret.yaml]")
                .write("org-templates/absolute/org.yaml", "workspaces: [!include /etc/passwd]")
                .write("org-templates/missing/org.yaml", "workspaces: [!include none.yaml]")
                .write("org-templates/link/org.yaml", "workspaces: [!include linked.yaml]");
        Files.createSymbolicLink(folder.resolve("org-templates/link/linked.yaml"), folder.resolve("secret.yaml"));

        assertThat(expansion("circle")).isEqualTo("a.yaml includes itself");
        assertThat(expansion("out")).contains("lies outside of the organisation's folder");
        assertThat(expansion("absolute")).contains("lies outside of the organisation's folder");
        assertThat(expansion("missing")).isEqualTo("org.yaml: there is no file none.yaml");
        assertThat(served.importDir("link").error()).isEqualTo("linked.yaml lies outside of the organisation's folder");
    }

    @Test
    void includes_that_multiply_are_refused() {
        var files = Json.object().put("org.yaml", "workspaces: [" + "!include 0.yaml,".repeat(50) + "]");
        for (int i = 0; i < 10; i++) {
            files.put(i + ".yaml", "[" + "!include %d.yaml,".formatted(i + 1).repeat(50) + "]");
        }
        files.put("10.yaml", "x".repeat(50_000));

        assertThat(served.importFiles(files).problem()).isEqualTo("all files together are larger than 4194304 bytes");
    }

    @ParameterizedTest
    @CsvSource({
        "..,400,invalid org directory",
        "../data,400,invalid org directory",
        "/etc,400,invalid org directory",
        ".hidden,400,invalid org directory",
        "nowhere,404,org template not found: nowhere"
    })
    void a_folder_that_is_none_of_the_organisations_is_refused(String dir, int status, String error) {
        var answer = served.importDir(dir);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.error()).isEqualTo(error);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|provide 'dir' or 'template'",
                "nonsense|invalid request body",
                "{\"dir\":7}|invalid request body",
                "{\"template\":[]}|invalid request body",
                "{\"files\":{\"org.yaml\":7}}|invalid request body",
                "{\"files\":{\"../org.yaml\":\"\"}}|invalid path",
                "{\"files\":{\"a.yaml\":\"\"}}|files must hold org.yaml"
            })
    void a_request_that_names_no_organisation_is_refused(String body, String error) {
        var answer = served.post("/org/import", body);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.error()).isEqualTo(error);
    }

    private static String expansion(String dir) {
        var answer = served.importDir(dir);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.error()).isEqualTo("org template expansion failed");
        return answer.problem();
    }
}
