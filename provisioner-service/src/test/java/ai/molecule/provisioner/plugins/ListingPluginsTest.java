package ai.molecule.provisioner.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in the registry, and what a workspace has. */
class ListingPluginsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path data;

    @SuppressWarnings("NullAway.Init")
    private static PluginPlatform platform;

    @BeforeAll
    static void start() {
        platform = new PluginPlatform(data)
                .plugin("notes", "plugin.yaml", """
                        name: another name
                        version: 1.0
                        description: Keeps notes
                        author: Me
                        tags: [a, b]
                        skills: [notes]
                        runtimes: [claude_code]
                        """)
                .plugin("anywhere", "plugin.yaml", "runtimes: []")
                .plugin("bare", "README.md", "no manifest")
                .plugin("broken", "plugin.yaml", "a: [")
                .plugin("bomb", "plugin.yaml", bomb())
                .plugin("Not-A-Name", "plugin.yaml", "name: x")
                .plugin(".hidden", "plugin.yaml", "name: x");
    }

    @AfterAll
    static void stop() {
        platform.close();
    }

    @Test
    void everybody_may_see_what_the_registry_has() {
        var plugins = platform.json("/plugins");

        assertThat(plugins.findValuesAsText("name")).containsExactly("anywhere", "bare", "bomb", "broken", "notes");
        assertThat(plugins.get(4))
                .hasToString(
                        "{\"name\":\"notes\",\"version\":\"1.0\",\"description\":\"Keeps notes\",\"author\":\"Me\","
                                + "\"tags\":[\"a\",\"b\"],\"skills\":[\"notes\"],\"runtimes\":[\"claude_code\"]}");
        assertThat(plugins.get(1))
                .hasToString("{\"name\":\"bare\",\"version\":\"\",\"description\":\"\",\"author\":\"\","
                        + "\"tags\":null,\"skills\":null,\"runtimes\":null}");
    }

    @Test
    void dashes_and_underscores_of_a_runtime_are_the_same() {
        assertThat(platform.json("/plugins?runtime=claude-code").findValuesAsText("name"))
                .contains("notes");
        assertThat(platform.json("/plugins?runtime=echo").findValuesAsText("name"))
                .contains("anywhere", "bare")
                .doesNotContain("notes");
    }

    @Test
    void the_kinds_of_sources_are_known() {
        assertThat(platform.get("/plugins/sources")).isEqualTo("200 {\"schemes\":[\"github\",\"local\"]}");
    }

    @Test
    void a_workspace_is_offered_what_its_runtime_can_use() {
        var claude = platform.neverStarted();
        var echo = platform.provisioning.registry.create("echo");

        assertThat(platform.json("/workspaces/" + claude + "/plugins/available").findValuesAsText("name"))
                .contains("notes");
        assertThat(platform.json("/workspaces/" + echo + "/plugins/available").findValuesAsText("name"))
                .contains("bare")
                .doesNotContain("notes");
    }

    @Test
    void what_is_installed_is_listed_with_whether_it_fits() {
        var id = platform.provisioning.registry.create("echo");
        assertThat(platform.get("/workspaces/" + id + "/plugins")).isEqualTo("200 []");
        platform.write(platform.configs(id).resolve("plugins/mine/plugin.yaml"), "runtimes: [langgraph]");
        platform.write(platform.configs(id).resolve("plugins/yours/README.md"), "hello");
        platform.write(platform.configs(id).resolve("plugins/.staging/README.md"), "not one");
        platform.write(platform.configs(id).resolve("plugins/huge/plugin.yaml"), " ".repeat(6 * 1024 * 1024));

        var plugins = platform.json("/workspaces/" + id + "/plugins");

        assertThat(plugins.findValuesAsText("name")).containsExactly("huge", "mine", "yours");
        assertThat(plugins.findValuesAsText("supported_on_runtime")).containsExactly("true", "false", "true");
    }

    @Test
    void a_change_of_runtime_can_be_tried_beforehand() {
        var id = platform.provisioning.registry.create("echo");
        platform.write(platform.configs(id).resolve("plugins/mine/plugin.yaml"), "runtimes: [langgraph]");
        String path = "/workspaces/" + id + "/plugins/compatibility";

        assertThat(platform.get(path)).isEqualTo("400 {\"error\":\"runtime query parameter is required\"}");
        assertThat(platform.json(path + "?runtime=langgraph")
                        .path("all_compatible")
                        .asBoolean())
                .isTrue();
        var other = platform.json(path + "?runtime=autogen");
        assertThat(other.path("target_runtime").asText()).isEqualTo("autogen");
        assertThat(other.path("compatible")).isEmpty();
        assertThat(other.path("incompatible").findValuesAsText("name")).containsExactly("mine");
        assertThat(other.path("all_compatible").asBoolean()).isFalse();
    }

    @Test
    void a_workspace_that_nobody_has_is_not_found() {
        String path = "/workspaces/" + UUID.randomUUID() + "/plugins";

        assertThat(platform.get(path)).isEqualTo("404 {\"error\":\"workspace not found\"}");
        assertThat(platform.get(path + "/available")).startsWith("404");
        assertThat(platform.get(path + "/compatibility?runtime=x")).startsWith("404");
        assertThat(platform.get("/workspaces/7/plugins")).isEqualTo("400 {\"error\":\"invalid workspace ID\"}");
    }

    private static String bomb() {
        var text = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 12; i++) {
            text.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ", ").repeat(9)));
        }
        return text.toString();
    }
}
