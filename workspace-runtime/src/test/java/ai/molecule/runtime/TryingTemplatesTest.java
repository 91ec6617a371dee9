package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.langchain4j.ScriptedEndpoint;
import ai.molecule.runtime.tools.Tools;
import ai.molecule.sdk.A2aClient;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The templates that come with Molecule, each begun as an agent with a model that is scripted. */
class TryingTemplatesTest {

    private static final Path TEMPLATES = Path.of("../provisioner-service/src/main/resources/templates");
    private static final String ID = "44444444-4444-4444-8444-444444444444";

    @TempDir
    private Path home;

    @ParameterizedTest
    @CsvSource({
        "langgraph-default, ask",
        "coder, read write edit list glob search run ask request_approval",
        "reviewer, read list glob search run",
        "researcher, fetch read write list search ask",
        "writer, read write edit list glob search ask",
        "tester, read write edit list glob search run ask",
        "coordinator, ask request_approval"
    })
    void an_agent_has_its_words_and_its_tools(String template, String tools) throws Exception {
        Path configs = laidOut(template);
        Path work = Files.createDirectories(home.resolve("work"));
        try (var platform = new StandInPlatform();
                var endpoint = new ScriptedEndpoint()) {
            var config = RuntimeConfig.fromEnv(Map.of(
                    "WORKSPACE_ID",
                    ID,
                    "WORKSPACE_CONFIG_PATH",
                    configs.toString(),
                    "MOLECULE_WORKSPACE_FOLDER",
                    work.toString(),
                    "PLATFORM_URL",
                    platform.url(),
                    "MOLECULE_AGENT_PORT",
                    "0",
                    "MOLECULE_ADAPTER",
                    "langchain4j",
                    "OPENAI_BASE_URL",
                    endpoint.url(),
                    "MODEL_PROVIDER",
                    "scripted"));
            var workspace = config.appliedTo(WorkspaceConfig.read(configs));
            assertThat(Preflight.check(workspace, configs, Map.of()))
                    .extracting(PreflightFinding::title)
                    .containsOnly("Runtime"); // langgraph is run by langchain4j
            var agent = WorkspaceAgent.start(config, workspace);
            try {
                new A2aClient(ClientConfig.of("user", platform.url(), TokenFile.in(home)))
                        .send(URI.create(agent.url()), Optional.of(ID), "hello", Duration.ofSeconds(60));
            } finally {
                agent.close();
            }

            var request = endpoint.requests.getFirst();
            assertThat(request.at("/messages/0/content").asText())
                    .contains(Files.readString(configs.resolve("system-prompt.md"))
                            .strip());
            List<String> offered = new ArrayList<>();
            request.path("tools")
                    .forEach(tool -> offered.add(tool.at("/function/name").asText()));
            Tools.ALL.forEach(tool -> offered.remove(tool.name()));
            assertThat(offered).containsExactlyInAnyOrder(tools.split(" ", -1));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude-code", "codex", "gemini-cli"})
    void those_of_programs_want_the_tier_that_fits_them(String runtime) throws Exception {
        var workspace = WorkspaceConfig.read(laidOut(runtime + "-default")).runBy("cli");

        assertThat(workspace.runtime()).isEqualTo(runtime);
        assertThat(workspace.tier()).isEqualTo(3);
    }

    @Test
    void no_template_is_left_untried() throws Exception {
        try (var folders = Files.list(TEMPLATES)) {
            assertThat(new TreeSet<>(folders.filter(Files::isDirectory)
                            .map(folder -> folder.getFileName().toString())
                            .toList()))
                    .hasSize(10);
        }
    }

    private Path laidOut(String template) throws IOException {
        Path configs = Files.createDirectories(home.resolve("configs"));
        for (String file : List.of("config.yaml", "system-prompt.md")) {
            Files.copy(TEMPLATES.resolve(template).resolve(file), configs.resolve(file));
        }
        return configs;
    }
}
