package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.langchain4j.ScriptedEndpoint;
import ai.molecule.sdk.A2aClient;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.plugins.PluginValidation;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugins that come with Molecule, all of them in one agent. */
class TryingPluginsTest {

    private static final Path PLUGINS = Path.of("../provisioner-service/src/main/resources/plugins");
    private static final String ID = "55555555-5555-4555-8555-555555555555";
    private static final int WORDS_MAX = 150;

    @TempDir
    private Path home;

    @Test
    void each_is_well_formed_short_enough_to_read_and_told_to_the_model_whole() throws Exception {
        List<Path> plugins = plugins();
        assertThat(plugins).hasSize(6);
        for (Path plugin : plugins) {
            copy(plugin, home.resolve(ID).resolve("plugins").resolve(plugin.getFileName()));
        }

        String briefing;
        try (var endpoint = new ScriptedEndpoint();
                var agents = new RunningAgents(home)) {
            String url = agents.start(
                    ID,
                    "Worker",
                    "langchain4j",
                    Map.of("OPENAI_BASE_URL", endpoint.url(), "MODEL_PROVIDER", "scripted"));
            new A2aClient(ClientConfig.of("user", agents.platform.url(), TokenFile.in(home)))
                    .send(URI.create(url), Optional.of(ID), "hello", Duration.ofSeconds(60));
            briefing = endpoint.requests.getFirst().at("/messages/0/content").asText();
        }

        for (Path plugin : plugins) {
            String name = plugin.getFileName().toString();
            String skill =
                    Files.readString(plugin.resolve("skills").resolve(name).resolve("SKILL.md"));
            String body = skill.substring(skill.indexOf("---", 3) + 3).strip();
            assertThat(PluginValidation.of(plugin)).as(name).isEmpty();
            assertThat(body.split("\\s+", -1)).as(name).hasSizeBetween(50, WORDS_MAX);
            assertThat(briefing).contains(body);
        }
        assertThat(briefing)
                .contains(Files.readString(PLUGINS.resolve("plain-writing/rules/plain-writing.md"))
                        .strip());
    }

    private static List<Path> plugins() throws IOException {
        try (var folders = Files.list(PLUGINS)) {
            return folders.filter(Files::isDirectory).sorted().toList();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var files = Files.walk(from)) {
            for (Path file : files.sorted().toList()) {
                Path copied = to.resolve(from.relativize(file).toString());
                Files.createDirectories(copied.getParent());
                Files.copy(file, copied);
            }
        }
    }
}
