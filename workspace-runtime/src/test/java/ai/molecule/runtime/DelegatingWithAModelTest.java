package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.langchain4j.ScriptedEndpoint;
import ai.molecule.sdk.A2aClient;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.testkit.Waits;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole agents: one that is a scripted model gives work to one that echoes, through the platform. */
class DelegatingWithAModelTest {

    private static final String LEAD = "11111111-1111-4111-8111-111111111111";
    private static final String WRITER = "22222222-2222-4222-8222-222222222222";

    @TempDir
    private Path home;

    @Test
    void a_model_asks_a_peer_it_was_told_of_and_passes_the_answer_on() throws Exception {
        try (var endpoint = new ScriptedEndpoint();
                var agents = new RunningAgents(home)) {
            Path folder = Files.createDirectories(home.resolve(LEAD));
            Files.writeString(folder.resolve("system-prompt.md"), "You lead.");
            agents.start(WRITER, "Writer", "echo");
            String lead = agents.start(
                    LEAD,
                    "Lead",
                    "langchain4j",
                    Map.of("OPENAI_BASE_URL", endpoint.url(), "MODEL_PROVIDER", "scripted"));
            await().until(() -> agents.platform.workspaces.size() == 2);
            var caller = new A2aClient(ClientConfig.of("user", agents.platform.url(), TokenFile.in(home)));

            var answer = caller.send(
                    URI.create(lead),
                    Optional.of(LEAD),
                    "script:\nsay I ask Writer. call list_peers {}\ncall delegate_task {\"workspace_id\":\"" + WRITER
                            + "\",\"task\":\"say hello\"}",
                    Waits.PATIENCE);

            assertThat(answer.text()).isEqualTo("I ask Writer.\n\nHeard: Echo: say hello");
            assertThat(answer.result().at("/metadata/tool_trace").toString())
                    .startsWith(
                            "[{\"tool\":\"list_peers\",\"input\":\"{}\",\"output_preview\":\"- Writer (ID: " + WRITER)
                    .endsWith("\"output_preview\":\"Echo: say hello\"}]");
            assertThat(endpoint.requests.getFirst().at("/messages/0/content").asText())
                    .contains(
                            "## Platform Capabilities",
                            "You lead.",
                            "- **Writer** (id: `" + WRITER + "`, status: online)");
            assertThat(endpoint.requests.get(1).at("/messages/3/content").asText())
                    .contains("- Writer (ID: " + WRITER + ", status: online");
            assertThat(agents.platform.activities)
                    .extracting(row -> row.path("summary").asText())
                    .contains("Delegating to Writer");
        }
    }
}
