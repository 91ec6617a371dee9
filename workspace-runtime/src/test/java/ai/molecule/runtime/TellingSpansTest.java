package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.langchain4j.ScriptedEndpoint;
import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An agent tells the platform what it did for a message that is traced. */
class TellingSpansTest {

    private static final String ID = "55555555-5555-4555-8555-555555555555";
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String PARENT = "00f067aa0ba902b7";

    @TempDir
    private Path home;

    @Test
    void each_turn_of_its_model_and_each_tool_is_a_span_of_the_messages_trace_and_says_no_word_of_it()
            throws Exception {
        Path folder = Files.createDirectories(home.resolve("workspace"));
        Files.writeString(folder.resolve("a.txt"), "the secret of the file");
        try (var endpoint = new ScriptedEndpoint();
                var agents = new RunningAgents(home)) {
            String url = start(agents, endpoint, folder);

            send(url, "00-" + TRACE + "-" + PARENT + "-01");
            await().until(() -> told(agents).size() >= 4);

            assertThat(told(agents))
                    .extracting(span -> span.path("name").asText())
                    .containsExactlyInAnyOrder("chat m", "execute_tool read", "execute_tool list", "chat m");
            assertThat(told(agents)).allSatisfy(span -> {
                assertThat(span.path("traceId").asText()).isEqualTo(TRACE);
                assertThat(span.path("parentSpanId").asText()).isEqualTo(PARENT);
                assertThat(span.path("endTimeUnixNano").asLong())
                        .isGreaterThanOrEqualTo(span.path("startTimeUnixNano").asLong());
            });
            assertThat(named(agents, "execute_tool list").toString()).contains("tool_error", "\"code\":2");
            assertThat(named(agents, "execute_tool read").toString()).doesNotContain("secret", "a.txt", "tool_error");
        }
    }

    @Test
    void of_a_message_that_nobody_records_nothing_is_told_and_what_comes_later_is() throws Exception {
        Path folder = Files.createDirectories(home.resolve("workspace"));
        try (var endpoint = new ScriptedEndpoint();
                var agents = new RunningAgents(home)) {
            String url = start(agents, endpoint, folder);

            send(url, "00-11111111111111111111111111111111-" + PARENT + "-00");
            send(url, "00-" + TRACE + "-" + PARENT + "-01");
            await().until(() -> told(agents).size() >= 4);

            assertThat(told(agents))
                    .allSatisfy(
                            span -> assertThat(span.path("traceId").asText()).isEqualTo(TRACE));
        }
    }

    private static String start(RunningAgents agents, ScriptedEndpoint endpoint, Path folder) throws Exception {
        return agents.start(
                ID,
                "Worker\ntools: [read, list]",
                "langchain4j",
                Map.of(
                        "OPENAI_BASE_URL", endpoint.url(),
                        "MODEL_PROVIDER", "m",
                        "MOLECULE_WORKSPACE_FOLDER", folder.toString()));
    }

    private static List<JsonNode> told(RunningAgents agents) {
        List<JsonNode> spans = new ArrayList<>();
        agents.platform.spans.forEach(
                request -> request.at("/resourceSpans/0/scopeSpans/0/spans").forEach(spans::add));
        return spans;
    }

    private static JsonNode named(RunningAgents agents, String name) {
        return told(agents).stream()
                .filter(span -> span.path("name").asText().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static void send(String url, String traceparent) throws Exception {
        String script = "script:\\ncall read {\\\"path\\\":\\\"a.txt\\\"} && list {\\\"path\\\":\\\"../\\\"}";
        String request = """
                {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","role":"user","messageId":"%s",
                 "parts":[{"kind":"text","text":"%s"}]}}}""".formatted(UUID.randomUUID(), script);
        var response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(url))
                                .header("Content-Type", "application/json")
                                .header("traceparent", traceparent)
                                .POST(HttpRequest.BodyPublishers.ofString(request))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(response.body()).contains("Heard:");
    }
}
