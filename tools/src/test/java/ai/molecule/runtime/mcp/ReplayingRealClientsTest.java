package ai.molecule.runtime.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What Claude Code 2.1.330 (2026-07-28 over HTTP; on a pipe, where we were slow to start, both eras side by side) and Codex 0.169.0 (2025-06-18) said to
 * {@code molecule mcp} until they had called a tool, word for word: {@code >} is a client's message, over HTTP with its headers of MCP, {@code <} what
 * it was answered: the status, the members of the result, and those whose value a client goes by.
 */
class ReplayingRealClientsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> TOLD = List.of("protocolVersion", "resultType", "isError");

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private McpMethods methods;

    @BeforeEach
    void offer() {
        var nobody = new WorkspaceClient(ClientConfig.of("me", "http://127.0.0.1:9", TokenFile.in(folder)));
        methods = new McpMethods(new Toolbox(new Workspaces(List.of(nobody)), Optional.empty()), Tools.ALL);
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex"})
    void over_http_each_message_is_answered_as_it_was(String client) throws Exception {
        List<String> replayed = new ArrayList<>();
        List<String> recorded = recorded(client + "-http");
        for (String line : recorded) {
            if (line.startsWith("> ")) {
                JsonNode said = JSON.readTree(line.substring(2));
                var reply = McpOverHttp.reply(
                        methods,
                        said.path("body"),
                        name -> said.path("headers")
                                .path(name.toLowerCase(Locale.ROOT))
                                .textValue());
                ObjectNode facts = JSON.createObjectNode().put("status", reply.status());
                replayed.add(line);
                replayed.add("< " + facts(reply.body().orElse(MissingNode.getInstance()), facts));
            }
        }

        assertThat(replayed).isEqualTo(recorded);
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex"})
    void on_a_pipe_each_request_is_answered_as_it_was(String client) throws Exception {
        List<String> recorded = recorded(client + "-stdio");
        var written = new ByteArrayOutputStream();

        new McpServer(methods, new ByteArrayInputStream(input(recorded)), written).run();

        Map<String, String> answers = new TreeMap<>();
        for (String line : written.toString(StandardCharsets.UTF_8).lines().toList()) {
            JsonNode answer = JSON.readTree(line);
            answers.put(answer.path("id").asText(), "< " + facts(answer, JSON.createObjectNode()));
        }
        assertThat(answers.values())
                .containsExactlyInAnyOrderElementsOf(
                        recorded.stream().filter(line -> line.startsWith("< ")).toList());
    }

    private static byte[] input(List<String> recorded) {
        return recorded.stream()
                .filter(line -> line.startsWith("> "))
                .map(line -> line.substring(2) + "\n")
                .collect(Collectors.joining())
                .getBytes(StandardCharsets.UTF_8);
    }

    private static ObjectNode facts(JsonNode answer, ObjectNode facts) {
        if (answer.has("id")) {
            facts.set("id", answer.path("id"));
        }
        if (answer.has("error")) {
            facts.set("error", answer.at("/error/code"));
        }
        JsonNode result = answer.path("result");
        if (result.isObject()) {
            var names = new TreeSet<String>();
            result.fieldNames().forEachRemaining(names::add);
            names.forEach(facts.putArray("result")::add);
            TOLD.stream().filter(result::has).forEach(name -> facts.set(name, result.path(name)));
        }
        return facts;
    }

    private static List<String> recorded(String name) {
        try (var file = ReplayingRealClientsTest.class.getResourceAsStream("/mcp-recorded/" + name + ".txt")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        } catch (IOException missing) {
            throw new UncheckedIOException(missing);
        }
    }
}
