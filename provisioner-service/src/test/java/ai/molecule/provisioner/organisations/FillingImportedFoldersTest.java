package ai.molecule.provisioner.organisations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files the agents of an imported organisation find, and what happens when they cannot be written. */
class FillingImportedFoldersTest {

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
    void forget() throws IOException {
        served.registry.forgetAll();
        for (String written : new String[] {"org-templates", "templates", "plugins"}) {
            if (Files.exists(folder.resolve(written))) {
                Files.move(
                        folder.resolve(written),
                        Files.createTempDirectory(folder, "old").resolve(written));
            }
        }
    }

    @AfterAll
    static void stop() {
        served.close();
    }

    @Test
    void agents_find_their_config_prompts_and_files_and_no_credentials_among_them() {
        served.write("org-templates/shop/org.yaml", """
                        defaults:
                          idle_prompt: look around
                          category_routing: {news: [Writer], money: [Boss]}
                        workspaces:
                          - !include team/lead.yaml
                        """)
                .write("org-templates/shop/team/lead.yaml", """
                        name: Lead
                        runtime: echo
                        role: says "yes"
                        files_dir: lead
                        system_prompt: !include ../prompts/lead.md
                        initial_prompt_file: hello.txt
                        category_routing: {money: [], sport: [Runner]}
                        """)
                .write("org-templates/shop/prompts/lead.md", "You lead.\n")
                .write("org-templates/shop/lead/hello.txt", "  Say hello:\n- to all\n")
                .write("org-templates/shop/lead/docs/rules.md", "be kind")
                .write(
                        "org-templates/shop/lead/config.yaml",
                        "name: old\nskills: [a, b]\nruntime_config: {timeout: 5}\n")
                .write("org-templates/shop/lead/.env", "TOKEN_B='two'\n")
                .write("org-templates/shop/.env", "# ours\nexport TOKEN_A=one\nTOKEN_B=no\nEMPTY=\n");

        var answer = served.importDir("shop");

        assertThat(answer.status()).isEqualTo(201);
        assertThat(served.config(0, "config.yaml")).isEqualTo("""
                name: "Lead"
                description: "says \\"yes\\""
                version: 1.0.0
                tier: 2
                runtime: echo
                model: "anthropic:claude-opus-4-7"
                "skills": ["a","b"]
                "runtime_config": {"timeout":5}
                category_routing:
                  "news":
                    - "Writer"
                  "sport":
                    - "Runner"
                initial_prompt: |2
                    Say hello:
                  - to all
                idle_interval_seconds: 600
                idle_prompt: |
                  look around
                """);
        assertThat(served.config(0, "system-prompt.md")).isEqualTo("You lead.\n");
        assertThat(served.config(0, "docs/rules.md")).isEqualTo("be kind");
        assertThat(folder.resolve("data/workspaces/" + id(0) + "/configs/.env")).doesNotExist();
        assertThat(served.registry.imports.created().getFirst().secrets())
                .isEqualTo(Map.of("TOKEN_A", "one", "TOKEN_B", "two"));
    }

    @Test
    void templates_and_plugins_are_copied_and_what_is_not_there_is_told() {
        served.write("templates/worker/config.yaml", "skills: [dig]\nruntime: other\n")
                .write("templates/worker/tools.md", "a spade")
                .write("templates/echo-default/note.md", "by default")
                .write("plugins/spade/plugin.yaml", "name: spade\n")
                .write("plugins/rope/plugin.yaml", "name: rope\n");

        var answer = served.importYaml("""
                defaults: {runtime: echo, plugins: [spade, rope, ghost]}
                workspaces:
                  - {name: Digger, template: worker, plugins: [-rope, "!ghost"]}
                  - {name: Climber, template: none, typo: 1, plugins: ["!ghost"]}
                """);

        assertThat(served.config(0, "tools.md")).isEqualTo("a spade");
        assertThat(served.config(0, "config.yaml")).contains("runtime: echo\n", "\"skills\": [\"dig\"]\n");
        assertThat(served.config(0, "plugins/spade/plugin.yaml")).isEqualTo("name: spade\n");
        assertThat(folder.resolve("data/workspaces/" + id(0) + "/configs/plugins/rope"))
                .doesNotExist();
        assertThat(served.config(1, "note.md")).isEqualTo("by default");
        assertThat(served.config(1, "plugins/rope/plugin.yaml")).isEqualTo("name: rope\n");
        assertThat(answer.body().path("warnings"))
                .extracting(warning -> warning.asText())
                .containsExactly(
                        "workspace \"Climber\": there is no template none",
                        "$.workspaces[1].typo is not known and was ignored");
    }

    @Test
    void when_files_cannot_be_written_everything_exists_and_nothing_is_started() throws IOException {
        var workspaces = folder.resolve("data/workspaces");
        if (Files.exists(workspaces)) {
            Files.move(workspaces, Files.createTempDirectory(folder, "old").resolve("workspaces"));
        }
        Files.createDirectories(folder.resolve("data"));
        Files.writeString(workspaces, "in the way");

        var answer = served.post("/org/import", "{\"template\":{\"workspaces\":[{\"name\":\"Lead\"}]}}");

        assertThat(answer.status()).isEqualTo(207);
        assertThat(answer.error())
                .isEqualTo("the files of 1 workspaces could not be written (Lead); nothing was started");
        assertThat(answer.body().path("count").asInt()).isEqualTo(1);
        assertThat(served.registry.wishes()).isEmpty();
        Files.delete(workspaces);
    }

    @Test
    void a_folder_may_be_named_with_variables_but_not_with_the_platforms_own() {
        String organisation = "workspaces: [{name: Lead, workspace_dir: \"%s\", workspace_access: read_only}]";

        assertThat(served.importYaml(organisation.formatted("${ORG_WORK_ROOT}/a"))
                        .status())
                .isEqualTo(201);
        assertThat(served.importYaml(organisation.formatted("$DATABASE_URL")).problem())
                .isEqualTo("workspace \"Lead\": the variable DATABASE_URL is not set");
        assertThat(served.registry.imports.created())
                .singleElement()
                .satisfies(item -> assertThat(item.agent().workspaceDir()).isEqualTo("/srv/work/a"));
    }

    private UUID id(int n) {
        return served.registry.imports.created().get(n).id();
    }
}
