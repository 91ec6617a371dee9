package ai.molecule.runtime.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.tools.Inbox;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an MCP client writes and reads, line by line. */
class ServingToolsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String LIST = "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/list\"}";
    private static final String INITIALIZE =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\"}}";

    private Map<String, String> environment = Map.of();
    private boolean fetches = true;

    @TempDir
    private Path folder;

    @Test
    void a_client_is_greeted_in_the_newest_revision_that_both_know() throws Exception {
        JsonNode result = greeted("2025-06-18");

        assertThat(result.path("protocolVersion").asText()).isEqualTo("2025-06-18");
        assertThat(result.path("capabilities").toString()).isEqualTo("{\"tools\":{\"listChanged\":false}}");
        assertThat(result.path("serverInfo").toString())
                .isEqualTo("{\"name\":\"a2a-delegation\",\"version\":\"1.0.0\"}");
        assertThat(result.path("instructions").asText()).contains("list_peers");
        for (var asked : List.of("2025-11-25", "2025-03-26", "2024-11-05")) {
            assertThat(greeted(asked).path("protocolVersion").asText()).isEqualTo(asked);
        }
        for (var unknown : List.of("2099-01-01", "2026-07-28", "2024-10-07", "", "latest")) {
            assertThat(greeted(unknown).path("protocolVersion").asText())
                    .describedAs(unknown)
                    .isEqualTo("2025-11-25");
        }
        assertThat(greeted("2025-08-01").path("protocolVersion").asText()).isEqualTo("2025-06-18");
    }

    @Test
    void every_tool_is_offered_as_the_table_describes_it() throws Exception {
        JsonNode tools = only(LIST).at("/result/tools");

        assertThat(tools).hasSameSizeAs(Tools.ALL);
        for (int i = 0; i < tools.size(); i++) {
            var tool = Tools.ALL.get(i);
            assertThat(tools.get(i).path("name").asText()).isEqualTo(tool.name());
            assertThat(tools.get(i).path("description").asText()).isEqualTo(tool.brief() + " " + tool.whenToUse());
            assertThat(tools.get(i).path("inputSchema")).isEqualTo(tool.inputSchema());
        }
    }

    @Test
    void while_the_initial_prompt_is_answered_nothing_is_handed_on() throws Exception {
        environment = Map.of("MOLECULE_NO_DELEGATION", "1");

        List<JsonNode> answers = exchange("""
                {"jsonrpc":"2.0","id":1,"method":"tools/list"}
                {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"delegate_task","arguments":{}}}
                {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"inbox_pop","arguments":{}}}
                """);

        assertThat(answers.get(0).at("/result/tools").findValuesAsText("name"))
                .hasSize(Tools.ALL.size() - 3)
                .doesNotContain("delegate_task", "delegate_task_async", "broadcast_message");
        assertThat(answers.get(1).at("/result/content/0/text").asText())
                .startsWith("Error: delegate_task is not there while the initial prompt is answered");
        assertThat(answers.get(2).path("result").toString()).isEqualTo(failure("Error: activity_id is required"));
    }

    @Test
    void tools_for_who_fetches_its_messages_are_listed_for_such_alone() throws Exception {
        fetches = false;

        JsonNode tools = only(LIST).at("/result/tools");

        assertThat(tools.findValuesAsText("name"))
                .hasSize(Tools.ALL.size() - 3)
                .doesNotContain("wait_for_message", "inbox_peek", "inbox_pop");
        assertThat(greeted("2025-11-25").path("instructions").asText()).doesNotContain("inbox_pop");
    }

    @Test
    void what_a_tool_cannot_do_is_marked_and_what_is_no_tool_is_an_error() throws Exception {
        List<JsonNode> answers = exchange("""
                {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delegate_task","arguments":{}}}
                {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"inbox_pop"}}
                {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"inbox_peek"}}
                {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"make_tea"}}
                {"jsonrpc":"2.0","id":5,"method":"tools/call"}
                {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"inbox_pop","arguments":["x"]}}
                {"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"2"}}
                """);

        assertThat(answers)
                .extracting(answer ->
                        answer.path(answer.has("error") ? "error" : "result").toString())
                .containsExactly(
                        failure("Error: workspace_id and task are required"),
                        failure("Error: activity_id is required"),
                        text("[]"),
                        "{\"code\":-32602,\"message\":\"Unknown tool: make_tea\"}",
                        "{\"code\":-32602,\"message\":\"Unknown tool: \"}",
                        "{\"code\":-32602,\"message\":\"arguments must be an object\"}",
                        "{\"code\":-32602,\"message\":\"Invalid cursor\"}");
    }

    @Test
    void several_messages_come_in_one_in_the_revision_that_knows_this() throws Exception {
        var both =
                "[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"x\"}]";

        List<JsonNode> answers = exchange(INITIALIZE.formatted("2025-03-26") + "\n" + both);

        assertThat(answers)
                .hasSize(2)
                .anySatisfy(batch -> assertThat(batch.findValuesAsText("id")).containsExactly("2", "3"));
        assertThat(exchange(INITIALIZE.formatted("2025-06-18") + "\n" + both)).hasSize(1);
    }

    @Test
    void a_ping_is_answered_and_an_unknown_method_refused() throws Exception {
        List<JsonNode> answers = exchange("""
                {"jsonrpc":"2.0","id":0,"method":"ping"}
                {"jsonrpc":"2.0","id":7,"method":"resources/list"}
                """);

        assertThat(answers.get(0).toString()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}");
        assertThat(answers.get(1).path("error").toString())
                .isEqualTo("{\"code\":-32601,\"message\":\"Method not found: resources/list\"}");
    }

    @Test
    void what_is_no_request_gets_no_answer_and_ends_nothing() throws Exception {
        List<JsonNode> answers = exchange("""
                {"jsonrpc":"2.0","method":"notifications/initialized"}
                {"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}
                {"jsonrpc":"2.0","id":1,"result":{}}
                {oops

                [1,2]
                "text"
                %s
                {"jsonrpc":"2.0","id":9,"method":"ping"}""".formatted("[".repeat(5000)));

        assertThat(answers).hasSize(1);
        assertThat(answers.getFirst().path("id").asInt()).isEqualTo(9);
    }

    @Test
    void a_line_without_bounds_is_skipped() throws Exception {
        assertThat(exchange("x".repeat(LineReader.LINE_MAX_BYTES + 1) + "\n{\"id\":1,\"method\":\"ping\"}\n"))
                .hasSize(1);
    }

    private JsonNode greeted(String asked) throws Exception {
        return only(INITIALIZE.formatted(asked)).path("result");
    }

    private static String failure(String text) {
        return text(text).replaceFirst("}$", ",\"isError\":true}");
    }

    private static String text(String text) {
        return "{\"content\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}";
    }

    private JsonNode only(String line) throws Exception {
        List<JsonNode> answers = exchange(line);
        assertThat(answers).hasSize(1);
        return answers.getFirst();
    }

    private List<JsonNode> exchange(String input) throws IOException, InterruptedException {
        var workspace = new WorkspaceClient(ClientConfig.of("me", "http://127.0.0.1:1", TokenFile.in(folder)));
        var inbox = Optional.of(new Inbox()).filter(there -> fetches);
        var toolbox = new Toolbox(new Workspaces(List.of(workspace)), inbox).in(environment);
        var out = new ByteArrayOutputStream();
        new McpServer(toolbox, new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), out).run();
        List<JsonNode> answers = new ArrayList<>();
        for (String line : out.toString(StandardCharsets.UTF_8).lines().toList()) {
            answers.add(JSON.readTree(line));
        }
        answers.sort(Comparator.comparing(answer -> answer.path("id").asText()));
        return answers;
    }
}
