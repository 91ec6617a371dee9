package ai.molecule.runtime.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.tools.CallersInput;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code subscriptions/listen}: whoever handed work on is told how it goes, instead of asking again and again. */
class SubscribingToTasksTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    /** Tasks that stand, at each look, as the next of a list says; the last for ever. */
    private static final class Scripted implements CallTasks {

        final Map<String, Deque<String>> states = new HashMap<>();

        Scripted with(String id, String... each) {
            states.put(id, new ArrayDeque<>(List.of(each)));
            return this;
        }

        @Override
        public Optional<ObjectNode> find(String taskId, CallersInput caller) {
            var left = states.get(taskId);
            if (left == null) {
                return Optional.empty();
            }
            String state = left.size() > 1 ? left.removeFirst() : left.getFirst();
            return Optional.of(JSON.createObjectNode().put("taskId", taskId).put("status", state));
        }

        @Override
        public boolean isFor(ToolSpec tool) {
            return false;
        }

        @Override
        public Optional<ObjectNode> begun(ToolSpec tool, String answer, CallersInput caller) {
            return Optional.empty();
        }

        @Override
        public boolean update(String taskId, CallersInput caller) {
            return false;
        }

        @Override
        public boolean cancel(String taskId) {
            return false;
        }
    }

    private static JsonNode request(String notifications) {
        return json("{'jsonrpc':'2.0','id':7,'method':'subscriptions/listen','params':{'_meta':"
                + "{'io.modelcontextprotocol/protocolVersion':'2026-07-28','io.modelcontextprotocol/clientCapabilities':"
                + "{'extensions':{'io.modelcontextprotocol/tasks':{}}}}" + notifications + "}}");
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text.replace('\'', '"'));
        } catch (IOException wrong) {
            throw new AssertionError(wrong);
        }
    }

    private static List<String> told(CallTasks tasks, String notifications, boolean knowsTasks) throws Exception {
        var caller = new CallersInput(JSON.createObjectNode(), JSON.createObjectNode(), MissingNode.getInstance(), "");
        List<String> told = new ArrayList<>();
        TaskSubscription.of(request(notifications), tasks, caller, knowsTasks, AT_ONCE)
                .tell(new TaskSubscription.Listener() {
                    @Override
                    public void hear(ObjectNode message) {
                        told.add(message.toString().replace('"', '\''));
                    }

                    @Override
                    public void stillThere() {
                        told.add("");
                    }
                });
        return told;
    }

    @Test
    void each_change_of_a_task_is_told_once_until_all_are_over() throws Exception {
        var tasks = new Scripted()
                .with("a", "working", "working", "input_required", "completed")
                .with("b", "cancelled");

        var told = told(tasks, ",'notifications':{'taskIds':['a','b','nowhere'],'toolsListChanged':true}", true);

        String mine = "'_meta':{'io.modelcontextprotocol/subscriptionId':7}";
        assertThat(told)
                .containsExactly(
                        "{'jsonrpc':'2.0','method':'notifications/subscriptions/acknowledged','params':{" + mine
                                + ",'notifications':{'taskIds':['a','b']}}}",
                        "{'jsonrpc':'2.0','method':'notifications/tasks','params':{'taskId':'a','status':'working',"
                                + mine + "}}",
                        "{'jsonrpc':'2.0','method':'notifications/tasks','params':{'taskId':'b','status':'cancelled',"
                                + mine + "}}",
                        "{'jsonrpc':'2.0','method':'notifications/tasks','params':{'taskId':'a','status':'input_required',"
                                + mine + "}}",
                        "{'jsonrpc':'2.0','method':'notifications/tasks','params':{'taskId':'a','status':'completed',"
                                + mine + "}}",
                        "{'jsonrpc':'2.0','id':7,'result':{'resultType':'complete'," + mine + "}}");
    }

    @Test
    void what_is_not_offered_is_left_out_of_what_was_agreed_and_the_subscription_ends() throws Exception {
        var tasks = new Scripted().with("a", "working");

        for (var told : List.of(
                told(tasks, ",'notifications':{'toolsListChanged':true}", true),
                told(tasks, ",'notifications':{'taskIds':['a']}", false))) {
            assertThat(told).hasSize(2);
            assertThat(told.getFirst()).contains("'notifications':{}");
            assertThat(told.getLast()).contains("'resultType':'complete'");
        }
    }

    @Test
    void a_task_that_stands_still_is_told_once_and_the_stream_shows_that_it_lives_until_its_time_is_over()
            throws Exception {
        var told = told(new Scripted().with("a", "working"), ",'notifications':{'taskIds':['a']}", true);

        assertThat(told.stream().filter(message -> message.contains("notifications/tasks")))
                .hasSize(1);
        assertThat(told).contains("");
        assertThat(told.getLast()).contains("'resultType':'complete'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ",'notifications':[]", ",'notifications':{'taskIds':'a'}", ",'notifications':{'taskIds':[1]}"
            })
    void a_wrong_subscription_is_refused(String notifications) {
        assertThatThrownBy(() -> told(new Scripted(), notifications, true)).isInstanceOf(McpRefusal.class);
    }

    @Test
    void nobody_listens_to_more_tasks_than_the_bound() {
        var ids = IntStream.rangeClosed(0, TaskSubscription.TASKS_MAX)
                .mapToObj(n -> "'t" + n + "'")
                .toList();

        assertThatThrownBy(() ->
                        told(new Scripted(), ",'notifications':{'taskIds':[" + String.join(",", ids) + "]}", true))
                .hasMessageContaining("at most 16");
    }

    @Test
    void over_http_it_is_a_stream_of_events(@TempDir Path folder) throws Exception {
        var methods = methods(folder, new Scripted().with("a", "completed"));
        String asked = request(",'notifications':{'taskIds':['a']}").toString();
        try (var server = McpHttpServer.listen(methods, 0);
                var client = HttpClient.newHttpClient()) {
            var answer = client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + McpHttpServer.PATH))
                            .header("MCP-Protocol-Version", "2026-07-28")
                            .header("Mcp-Method", "subscriptions/listen")
                            .POST(BodyPublishers.ofString(asked))
                            .build(),
                    BodyHandlers.ofString());

            assertThat(answer.headers().firstValue("Content-Type")).contains("text/event-stream");
            assertThat(answer.body().split("\n\n"))
                    .hasSize(3)
                    .allSatisfy(event -> assertThat(event).startsWith("data: {"));
            assertThat(answer.body()).contains("\"status\":\"completed\"");
        }
    }

    @Test
    void on_a_pipe_it_is_lines_until_it_is_cancelled_or_the_input_ends(@TempDir Path folder) throws Exception {
        var methods = methods(folder, new Scripted().with("a", "working").with("b", "completed"));
        String endless = request(",'notifications':{'taskIds':['a']}").toString();
        var written = new ByteArrayOutputStream();
        String input = endless + "\n"
                + "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}\n"
                + endless.replace("\"id\":7", "\"id\":8") + "\n"
                + request("").toString().replace("\"id\":7", "\"id\":9") + "\n";

        new McpServer(methods, new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), written).run();

        String said = written.toString(StandardCharsets.UTF_8);
        assertThat(said.lines().filter(line -> line.contains("\"result\""))).isEmpty();
        assertThat(said.lines().filter(line -> line.contains("\"id\":9")))
                .singleElement()
                .asString()
                .contains("-32602");
    }

    private static McpMethods methods(Path folder, CallTasks tasks) {
        var nobody = new WorkspaceClient(ClientConfig.of("me", "http://127.0.0.1:9", TokenFile.in(folder)));
        return new McpMethods(
                new Toolbox(new Workspaces(List.of(nobody)), Optional.empty()),
                List.of(),
                List.of(),
                tasks,
                RequestState.ofThisProcess(),
                "");
    }
}
