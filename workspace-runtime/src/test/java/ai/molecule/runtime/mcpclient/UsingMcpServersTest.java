package ai.molecule.runtime.mcpclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.processes.ProcessHold;
import ai.molecule.runtime.processes.ProcessRoom;
import ai.molecule.runtime.tools.ToolSource;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.SpanOutlet;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.TraceContext;
import ai.molecule.sdk.WorkspaceClient;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is a program, and all it can do wrong: the model always gets a sentence, and the next call is answered. */
class UsingMcpServersTest {

    private static final Duration SHORT = Duration.ofSeconds(1);

    @TempDir
    private Path folder;

    private @Nullable McpServers servers;

    @AfterEach
    void stop() {
        if (servers != null) {
            servers.close();
        }
    }

    @Test
    void its_tools_are_offered_under_its_name_and_called() throws Exception {
        var tools = connect(ScriptedMcpServer.in(folder, Waits.PATIENCE)).now();

        assertThat(tools).extracting(ToolSpec::name).startsWith("box__greet", "box__hang");
        assertThat(tools.getFirst().brief()).isEqualTo("Does greet.");
        assertThat(call("box__greet", "{}")).isEqualTo("hello\n[image image/png, not shown]");
        assertThat(Files.readString(folder.resolve("heard"))).contains("notifications/initialized");
    }

    @Test
    void a_call_is_a_span_of_the_messages_trace_and_says_so_to_the_server() throws Exception {
        connect(ScriptedMcpServer.in(folder, Waits.PATIENCE));
        List<SpanOutlet.Span> spans = new ArrayList<>();
        var trace = TraceContext.of(
                        Optional.of("00-" + "a".repeat(32) + "-" + "b".repeat(16) + "-01"), Optional.of("x=1"))
                .reportingTo(spans::add);

        List<String> said =
                trace.during(() -> List.of(called("box__greet"), called("box__wrong"), called("box__refuse")));

        assertThat(said.getFirst()).startsWith("hello");
        assertThat(spans)
                .extracting(SpanOutlet.Span::name)
                .containsExactly("tools/call greet", "tools/call wrong", "tools/call refuse");
        assertThat(spans).extracting(SpanOutlet.Span::failure).containsExactly("", "tool_error", "refused");
        assertThat(spans).allMatch(span -> span.client() && span.parentId().equals("b".repeat(16)));
        assertThat(spans.getFirst().facts())
                .isEqualTo(Map.of(
                        "mcp.method.name", "tools/call",
                        "mcp.protocol.version", "2025-06-18",
                        "gen_ai.operation.name", "execute_tool",
                        "gen_ai.tool.name", "greet"));
        assertThat(Files.readString(folder.resolve("heard")))
                .contains("\"_meta\":{\"traceparent\":\"00-" + "a".repeat(32) + "-"
                        + spans.getFirst().spanId() + "-01\",\"tracestate\":\"x=1\"}");
    }

    private String called(String tool) {
        try {
            return call(tool, "{}");
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    void only_the_tools_that_are_allowed_are_there() throws Exception {
        var server = ScriptedMcpServer.in(folder, Waits.PATIENCE);
        var tools = connect(ScriptedMcpServer.started(
                        Waits.PATIENCE,
                        Set.of("greet", "no_such"),
                        server.command().toArray(String[]::new)))
                .now();

        assertThat(tools).extracting(ToolSpec::name).containsExactly("box__greet");
    }

    @ParameterizedTest
    @CsvSource({
        "flood, flooded its output with what nobody asked for and was stopped",
        "endless_line, sent a message of more than 2 MiB and was stopped",
        "die, ended with exit code 3"
    })
    void one_that_breaks_is_told_and_begun_anew(String tool, String sentence) throws Exception {
        connect(ScriptedMcpServer.in(folder, Waits.PATIENCE));

        assertThat(call("box__" + tool, "{}")).isEqualTo("Error: the tool server box " + sentence);

        assertThat(call("box__greet", "{}")).startsWith("hello");
        assertThat(Files.readAllLines(folder.resolve("starts"))).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({
        "lie, Error: the tool server box answered something that is no result of a tool",
        "refuse, Error: the tool server box refused: not like this",
        "wrong, Error: no such city"
    })
    void one_that_says_no_or_nonsense_is_told_and_goes_on(String tool, String sentence) throws Exception {
        connect(ScriptedMcpServer.in(folder, Waits.PATIENCE));

        assertThat(call("box__" + tool, "{}")).isEqualTo(sentence);

        assertThat(call("box__greet", "{}")).startsWith("hello");
        assertThat(Files.readAllLines(folder.resolve("starts"))).hasSize(1);
    }

    @Test
    void what_it_says_beside_its_answers_holds_nothing_up_and_is_not_kept() throws Exception {
        connect(ScriptedMcpServer.in(folder, Waits.PATIENCE));

        assertThat(call("box__mutter", "{}")).isEqualTo("done");
    }

    @Test
    void one_that_hangs_is_left_after_its_time_and_begun_anew_when_it_does_so_again_and_again() throws Exception {
        connect(ScriptedMcpServer.in(folder, SHORT));

        for (int i = 0; i < ServerLink.SILENT_MAX; i++) {
            assertThat(call("box__hang", "{}")).isEqualTo("Error: the tool server box did not answer within 1 s");
        }

        await().until(() -> call("box__greet", "{}").startsWith("hello"));
        assertThat(Files.readAllLines(folder.resolve("starts"))).hasSizeGreaterThan(1);
        assertThat(Files.readString(folder.resolve("heard"))).contains("notifications/cancelled");
    }

    @Test
    void one_that_dies_every_time_is_not_begun_at_every_call() throws Exception {
        connect(ScriptedMcpServer.in(folder, Waits.PATIENCE));

        call("box__die", "{}");
        call("box__die", "{}");

        assertThat(call("box__greet", "{}"))
                .startsWith(
                        "Error: the tool server box is not running: it ended with exit code 3; it is begun anew in ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"name\":\"no schema\"}",
                "{\"name\":\"none\"}",
                "{\"name\":\"list\",\"inputSchema\":{\"type\":\"array\"}}",
                "{\"name\":\"odd\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":7}}}",
                "{\"name\":\"odder\",\"inputSchema\":{\"type\":\"object\",\"properties\":{},\"required\":[1]}}",
                "{\"name\":\"text\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"text\"}}}}",
                "{\"name\":\"deep\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"items\":{\"anyOf\":[]}}}}}",
                "{\"name\":\"none\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/b\"}}}}",
                "{\"name\":\"away\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"https://example.org/s\"}}}}",
                "{\"name\":\"enum\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":\"b\"}}}}",
                "{\"name\":\"pointer\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#x\"}}}}",
                "7"
            })
    void a_tool_whose_schema_is_none_is_left_out(String listed) throws Exception {
        var tools = connect(ScriptedMcpServer.in(
                        folder, Waits.PATIENCE, listed + "," + ScriptedMcpServer.tools("greet"), "2025-11-25"))
                .now();

        assertThat(tools).extracting(ToolSpec::name).containsExactly("box__greet");
        assertThat(call("box__greet", "{}")).startsWith("hello");
    }

    @Test
    void a_schema_that_refers_to_itself_is_one_also_in_the_words_of_older_drafts() throws Exception {
        String tree =
                "{\"name\":\"tree\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"root\":{\"$ref\":\"#/definitions/node\"}},"
                        + "\"definitions\":{\"node\":{\"type\":[\"object\",\"null\"],\"properties\":{\"next\":{\"$ref\":\"#/definitions/node\"}}}}}}";

        var schema = connect(ScriptedMcpServer.in(folder, Waits.PATIENCE, tree, "2025-11-25"))
                .now()
                .getFirst()
                .inputSchema();

        assertThat(schema.at("/$defs/node/properties/next/$ref").asText()).isEqualTo("#/$defs/node");
        assertThat(schema.at("/properties/root/$ref").asText()).isEqualTo("#/$defs/node");
    }

    @Test
    void a_schema_nested_without_end_is_left_out() throws Exception {
        String deep = "{\"name\":\"deep\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\":"
                + "{\"items\":".repeat(900) + "{}" + "}".repeat(900) + "}}}";
        var tools = connect(ScriptedMcpServer.in(
                        folder, Waits.PATIENCE, deep + "," + ScriptedMcpServer.tools("greet"), "2025-11-25"))
                .now();

        assertThat(tools).extracting(ToolSpec::name).containsExactly("box__greet");
    }

    @Test
    void tools_beyond_a_number_and_schemas_beyond_a_size_are_left_out() throws Exception {
        String large = "{\"name\":\"large\",\"inputSchema\":{\"type\":\"object\",\"description\":\""
                + "x".repeat(20_000) + "\"}}";
        var link = new ServerLink(
                ScriptedMcpServer.in(folder, Waits.PATIENCE, large + "," + ScriptedMcpServer.tools(200), "2025-11-25"),
                folder,
                Clock.systemUTC());
        link.tryToConnect();
        link.close();

        assertThat(link.tools())
                .hasSize(McpConnection.TOOLS_MAX)
                .extracting(ListedTool::name)
                .doesNotContain("large");
    }

    @Test
    void one_that_speaks_another_protocol_or_cannot_be_started_is_said_to_the_model() throws Exception {
        var other = connect(ScriptedMcpServer.in(folder, Waits.PATIENCE, "", "1999-01-01"));
        assertThat(other.now()).extracting(ToolSpec::name).containsExactly("find_tools");
        assertThat(call("find_tools", "{\"query\":\"\"}"))
                .contains(
                        "The tool server box cannot be had: it speaks no version of MCP that is known here: 1999-01-01.");
        stop();

        connect(ScriptedMcpServer.started(Waits.PATIENCE, Set.of(), "/no/such/program"));

        assertThat(call("find_tools", "{\"query\":\"x\"}"))
                .contains(
                        "No tool fits these words.",
                        "The tool server box cannot be had: it cannot be started: there is no program /no/such/program.");
    }

    @Test
    void of_many_tools_those_are_offered_that_were_found() throws Exception {
        var offered = connect(ScriptedMcpServer.in(folder, Waits.PATIENCE, ScriptedMcpServer.tools(60), "2025-11-25"));
        assertThat(offered.now()).extracting(ToolSpec::name).containsExactly("find_tools");

        assertThat(call(offered, "find_tools", "{\"query\":\"tool 42\"}")).contains("box__tool_42: Does tool 42.");

        assertThat(offered.now())
                .extracting(ToolSpec::name)
                .contains("box__tool_42", "find_tools")
                .hasSizeLessThan(12);
        assertThat(begin().now()).as("another message").hasSize(1);
    }

    @Test
    void what_must_be_given_is_asked_for_before_the_server_is_called() throws Exception {
        String tool =
                "{\"name\":\"greet\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"city\":{}},\"required\":[\"city\"]}}";
        connect(ScriptedMcpServer.in(folder, Waits.PATIENCE, tool, "2024-11-05"));

        assertThat(call("box__greet", "{}")).isEqualTo("Error: box__greet must be given city");
        assertThat(call("box__greet", "{\"city\":\"Ulm\"}")).startsWith("hello");
    }

    @Test
    void one_that_starts_processes_for_ever_is_held_and_ended() throws Exception {
        try (var hold = ProcessHold.ofOneThatStays(
                30, ScriptedMcpServer.in(folder, Waits.PATIENCE).environment())) {
            assumeThat(hold.holds())
                    .as("this system holds what a program starts")
                    .isTrue();
        }
        String mark = "sleep-" + UUID.randomUUID();
        Files.createSymbolicLink(folder.resolve(mark), Path.of("/bin/sleep"));
        var config = ScriptedMcpServer.started(
                SHORT, Set.of(), "/bin/sh", "-c", "while :; do ./" + mark + " 600 & done 2>/dev/null");
        var link = new ServerLink(
                config, folder, Clock.systemUTC(), new ProcessRoom(() -> OptionalInt.of(ProcessRoom.KEPT_BACK + 60)));

        link.tryToConnect();

        assertThat(link.trouble()).isNotEmpty();
        assertThat(running(mark)).isLessThanOrEqualTo(30);
        link.close();
        await().until(() -> running(mark) == 0);
    }

    @Test
    void one_for_which_there_is_no_room_is_said_so() throws Exception {
        var link = new ServerLink(
                ScriptedMcpServer.in(folder, Waits.PATIENCE),
                folder,
                Clock.systemUTC(),
                new ProcessRoom(() -> OptionalInt.of(70)));

        link.tryToConnect();

        assertThat(link.trouble()).isEqualTo("cannot be started: the agent has no room for its processes");
    }

    private static long running(String mark) {
        return ProcessHandle.allProcesses()
                .filter(each -> each.info().commandLine().orElse("").contains(mark + " 600"))
                .count();
    }

    @Test
    void its_program_ends_with_the_agent() throws Exception {
        connect(ScriptedMcpServer.started(Waits.PATIENCE, Set.of(), "/bin/sh", "-c", "echo $$ > pid; exec sleep 600"));
        Path pid = folder.resolve("pid");
        await().until(() -> Files.exists(pid) && Files.readString(pid).endsWith("\n"));
        var program = ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()));

        stop();

        await().until(() -> program.isEmpty() || !program.get().isAlive());
    }

    private ToolSource.ForMessage connect(McpServerConfig server) throws InterruptedException {
        servers = McpServers.connect(List.of(server), folder, Clock.systemUTC());
        return server.command().contains("-c") ? List::of : begin();
    }

    private ToolSource.ForMessage begin() throws InterruptedException {
        return Objects.requireNonNull(servers).begin();
    }

    private String call(String tool, String arguments) throws Exception {
        return call(begin(), tool, arguments);
    }

    private static String call(ToolSource.ForMessage offered, String tool, String arguments) throws Exception {
        JsonNode given = new ObjectMapper().readTree(arguments);
        var nobody = new WorkspaceClient(ClientConfig.of("w", "http://127.0.0.1:1", TokenFile.in(Path.of("nowhere"))));
        return offered.now().stream()
                .filter(each -> each.name().equals(tool))
                .findFirst()
                .orElseThrow()
                .run(new Toolbox(new Workspaces(List.of(nobody)), Optional.empty()), given);
    }
}
