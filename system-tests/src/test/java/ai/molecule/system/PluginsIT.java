package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.sdk.PluginRequest;
import ai.molecule.sdk.RemoteAgentClient;
import ai.molecule.sdk.plugins.PluginException;
import ai.molecule.sdk.plugins.PluginSha256;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Plugins as they come with {@code ./molecule up}: into an agent of the platform, and to the disk of one outside. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(SharedPlatform.class)
class PluginsIT {

    private Path temp;
    private Platform platform;

    @BeforeAll
    void start(@TempDir Path folder, Platform shared) {
        temp = folder;
        platform = shared;
    }

    @Test
    void an_agent_of_the_platform_gets_one_and_starts_anew_with_it() {
        assertThat(platform.get("/plugins").findValuesAsText("name")).contains("meeting-notes", "plain-writing");
        String id = platform.create("Writer", "echo", null);
        platform.awaitStatus(id, "online");
        long pid = platform.agentProcess(id).pid();

        var installed = platform.post(200, "/workspaces/" + id + "/plugins", "{\"source\":\"plain-writing\"}");

        assertThat(installed)
                .hasToString(
                        "{\"status\":\"installed\",\"plugin\":\"plain-writing\",\"source\":\"local://plain-writing\"}");
        Path configs = platform.data().resolve("workspaces/" + id + "/configs");
        assertThat(configs.resolve("plugins/plain-writing/skills/plain-writing/SKILL.md"))
                .exists();
        await().until(() -> platform.agentProcesses().noneMatch(agent -> agent.pid() == pid));
        platform.awaitStatus(id, "online");
        JsonNode plugins = platform.get("/workspaces/" + id + "/plugins");
        assertThat(plugins.findValuesAsText("name")).containsExactly("plain-writing");
        assertThat(plugins.at("/0/supported_on_runtime").asBoolean()).isTrue();

        platform.delete("/workspaces/" + id + "/plugins/plain-writing");

        assertThat(platform.get("/workspaces/" + id + "/plugins")).isEmpty();
    }

    @Test
    void an_agent_outside_takes_one_to_its_own_disk_and_sets_it_up() throws Exception {
        var agent = outside("Learner");

        Path folder = agent.installPlugin("meeting-notes");

        assertThat(folder.resolve("plugin.yaml")).exists();
        assertThat(folder.resolve("notes/form.md")).content().contains("## Decided"); // setup.sh made it
        assertThat(folder.getParent().toFile().list()).containsExactly("meeting-notes");
    }

    @Test
    void files_that_are_not_the_ones_their_author_summed_are_not_taken() throws Exception {
        Path plugin = platform.data().resolve("plugins/summed");
        write(plugin.resolve("skills/a/SKILL.md"), "as it was written");
        write(plugin.resolve("setup.sh"), "touch set-up");
        write(plugin.resolve("plugin.yaml"), "name: summed\nsha256: " + PluginSha256.of(plugin) + "\n");
        var agent = outside("Careful");
        Path folder = agent.installPlugin(PluginRequest.of("summed").from("local://summed"));
        assertThat(folder.resolve("set-up")).exists();

        write(plugin.resolve("skills/a/SKILL.md"), "as somebody else wants it");

        assertThatThrownBy(() -> agent.installPlugin("summed"))
                .isInstanceOf(PluginException.class)
                .hasMessageContaining("mismatch");
        assertThat(folder.resolve("skills/a/SKILL.md")).hasContent("as it was written");
    }

    private RemoteAgentClient outside(String name) {
        var body = Platform.JSON.createObjectNode().put("name", name).put("external", true);
        var created = platform.post(201, "/workspaces", body.toString());
        var agent = RemoteAgentClient.builder(created.path("id").asText(), platform.url)
                .tokenFolder(temp.resolve(name))
                .build();
        agent.saveToken(created.at("/connection/auth_token").asText());
        agent.register();
        return agent;
    }

    private static void write(Path file, String content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }
}
