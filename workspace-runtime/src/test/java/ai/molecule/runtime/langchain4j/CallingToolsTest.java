package ai.molecule.runtime.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.agent.AgentSetup;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.RecordingReply;
import ai.molecule.runtime.tools.Section;
import ai.molecule.runtime.tools.ToolSource;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.langchain4j.exception.HttpException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A scripted model that uses tools, and tools of the test's own where it must be seen what happens to them. */
class CallingToolsTest {

    private final RecordingReply reply = new RecordingReply();
    private final CountDownLatch toolRuns = new CountDownLatch(1);
    private final CountDownLatch toolLeft = new CountDownLatch(1);
    private final CyclicBarrier meeting = new CyclicBarrier(2);
    private ScriptedEndpoint endpoint;

    @BeforeEach
    void start() throws Exception {
        endpoint = new ScriptedEndpoint();
    }

    @AfterEach
    void stop() {
        endpoint.close();
    }

    @Test
    void the_model_calls_a_tool_hears_its_answer_and_speaks_on() throws Exception {
        answer("say Let me look. call greet {\"name\":\"Ada\"}");

        assertThat(reply.pieces).containsExactly("Let me look.", "\n\nHeard: hello Ada");
        assertThat(endpoint.requests.get(1).path("messages").toString())
                .endsWith(
                        "{\"role\":\"assistant\",\"content\":\"Let me look.\",\"tool_calls\":[{\"id\":\"c0_0\",\"type\":\"function\","
                                + "\"function\":{\"name\":\"greet\",\"arguments\":\"{\\\"name\\\":\\\"Ada\\\"}\"}}]},"
                                + "{\"role\":\"tool\",\"tool_call_id\":\"c0_0\",\"content\":\"hello Ada\"}]");
    }

    @Test
    void it_may_do_so_several_times() throws Exception {
        answer("call greet {\"name\":\"A\"}", "say Again. call greet {\"name\":\"B\"}");

        assertThat(reply.answer()).isEqualTo("Again.\n\nHeard: hello B");
        assertThat(endpoint.requests).hasSize(3);
    }

    @Test
    void calls_of_one_turn_run_at_the_same_time_and_are_answered_in_their_order() throws Exception {
        answer("call meet {\"name\":\"first\"} && meet {\"name\":\"second\"}");

        assertThat(reply.answer()).isEqualTo("Heard: met first | met second");
    }

    @Test
    void a_model_is_told_of_calls_that_cannot_be_made() throws Exception {
        answer("call greet {\"name\": && no_such_tool {} && greet [1] && greet && boom {}");

        assertThat(reply.answer())
                .isEqualTo("Heard: Error: the arguments are no JSON object: {\"name\":"
                        + " | Error: there is no tool no_such_tool; there are: greet, meet, boom, block, delegate_task"
                        + " | Error: the arguments are no JSON object: [1] | hello"
                        + " | Error: the tool failed (IllegalStateException)");
        assertThat(endpoint.requests
                        .get(1)
                        .at("/messages/1/tool_calls/0/function/arguments")
                        .asText())
                .as("what it is reminded of can be read")
                .isEqualTo("{}");
    }

    @Test
    void more_calls_than_are_made_at_once_are_answered_all_the_same() throws Exception {
        answer("call " + String.join(" && ", Collections.nCopies(ToolCalls.AT_ONCE_MAX + 1, "greet {}")));

        assertThat(reply.answer()).endsWith("Error: at most 16 calls are made at once; this one was not made");
    }

    @Test
    void a_model_that_never_stops_calling_is_given_up() {
        assertThatThrownBy(() -> executor(Map.of("LANGGRAPH_RECURSION_LIMIT", "6"))
                        .answer(prompt("call greet {}", "again"), reply))
                .hasMessage("the model failed (too_many_tool_calls), see the workspace log");

        assertThat(endpoint.requests).hasSize(3);
    }

    @Test
    void a_model_that_makes_no_progress_is_told_and_then_given_up() {
        assertThatThrownBy(() -> answer("call greet {}", "again"))
                .hasMessage("the model failed (no_progress), see the workspace log");

        assertThat(endpoint.requests).hasSize(Repetition.END);
        assertThat(endpoint.requests.getLast().path("messages").toString())
                .contains("the same call has had the same answer 3 times: do something else", "5 times");
        assertThat(endpoint.requests.get(2).path("messages").toString()).doesNotContain("the same call");
    }

    @Test
    void asking_how_far_others_are_is_progress_enough() {
        assertThatThrownBy(() -> executor(Map.of("LANGGRAPH_RECURSION_LIMIT", "40"))
                        .answer(prompt("call check_task_status {}", "again"), reply))
                .hasMessage("the model failed (too_many_tool_calls), see the workspace log");
    }

    @Test
    void a_model_that_did_something_and_says_nothing_has_answered() throws Exception {
        answer("call greet {}", "");

        assertThat(reply.answer()).isEqualTo("(no response generated)");
    }

    @Test
    void canceling_ends_the_tool_that_runs_and_no_further_turn_begins() throws Exception {
        var thread = new CompletableFuture<Thread>();
        var run = CompletableFuture.runAsync(
                () -> {
                    thread.complete(Thread.currentThread());
                    try {
                        answer("call block {}");
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                task -> Thread.ofVirtual().start(task));
        assertThat(toolRuns.await(60, TimeUnit.SECONDS)).isTrue();

        thread.join().interrupt();

        assertThatThrownBy(run::join).hasCauseInstanceOf(InterruptedException.class);
        assertThat(toolLeft.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(endpoint.requests).hasSize(1);
    }

    @Test
    void words_before_a_tool_are_seen_while_it_runs() throws Exception {
        var run = CompletableFuture.runAsync(
                () -> {
                    try {
                        answer("say One moment. call block {}");
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                task -> Thread.ofVirtual().start(task));

        await().until(() -> reply.answer().equals("One moment."));
        assertThat(run).isNotDone();
        toolLeft.countDown();
        run.join();

        assertThat(reply.answer()).isEqualTo("One moment.\n\nHeard: unblocked");
    }

    @Test
    void every_tool_of_the_table_is_offered_as_it_stands_there() throws Exception {
        new ModelExecutor(setup(Map.of()), Tools.ALL, ToolSource.NONE, nowhere()).answer(plain("hi"), reply);

        List<JsonNode> offered = new ArrayList<>();
        endpoint.requests.getFirst().path("tools").forEach(tool -> offered.add(tool.path("function")));
        assertThat(offered).hasSameSizeAs(Tools.ALL);
        for (int i = 0; i < offered.size(); i++) {
            ToolSpec tool = Tools.ALL.get(i);
            assertThat(offered.get(i).path("name").asText()).isEqualTo(tool.name());
            assertThat(offered.get(i).path("description").asText()).isEqualTo(tool.brief());
            JsonNode schema = offered.get(i).path("parameters");
            assertThat(schema.path("type").asText()).isEqualTo("object");
            assertThat(schema.path("properties")).isEqualTo(tool.inputSchema().path("properties"));
            assertThat(new ObjectMapper().createArrayNode().addAll(list(schema.path("required"))))
                    .isEqualTo(new ObjectMapper()
                            .createArrayNode()
                            .addAll(list(tool.inputSchema().path("required"))));
        }
    }

    @Test
    void a_model_that_takes_no_tools_is_asked_without_and_offered_them_again_after_a_while() throws Exception {
        var clock = new AtomicReference<>(Instant.EPOCH);
        var executor = new ModelExecutor(
                setup(Map.of()), tools(), ToolSource.NONE, nowhere(), Waits.PATIENCE, clockAt(clock), pause -> {});

        executor.answer(plain("no tools"), reply);
        assertThat(reply.answer()).isEqualTo("You said: no tools");

        executor.answer(plain("hi"), new RecordingReply());
        clock.set(Instant.EPOCH.plus(ModelExecutor.NO_TOOLS_FOR));
        executor.answer(plain("hi"), new RecordingReply());
        assertThat(endpoint.requests)
                .extracting(request -> request.has("tools"))
                .containsExactly(true, false, false, true);
    }

    @Test
    void a_refusal_that_does_not_speak_of_tools_takes_no_tools_away() throws Exception {
        var executor = executor(Map.of());

        executor.answer(plain("too long"), reply);
        executor.answer(plain("hi"), new RecordingReply());

        assertThat(reply.answer()).isEqualTo("You said: too long");
        assertThat(endpoint.requests)
                .extracting(request -> request.has("tools"))
                .containsExactly(true, false, true);
    }

    @Test
    void a_tool_of_a_server_that_the_endpoint_does_not_take_takes_no_other_away() throws Exception {
        endpoint.blames = "box__odd";
        ToolSource servers = () -> () -> List.of(
                tool("box__odd", (toolbox, arguments) -> "odd"), tool("box__even", (toolbox, arguments) -> "even"));
        var executor = new ModelExecutor(
                setup(Map.of()), tools(), servers, nowhere(), Waits.PATIENCE, Clock.systemUTC(), pause -> {});

        executor.answer(prompt("call box__even {}", "call box__odd {}"), reply);
        executor.answer(plain("hi"), new RecordingReply());

        assertThat(reply.answer()).contains("there is no tool box__odd").contains("greet");
        assertThat(endpoint.requests)
                .extracting(request -> request.path("tools").size())
                .containsExactly(7, 6, 6, 6, 6);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"error\":{\"message\":\"Invalid schema for function 'box__odd': no\"}} | box__odd",
                "{\"error\":{\"message\":\"bad function \\\"box__odd\\\"\"}} | box__odd",
                "{\"error\":{\"message\":\"tools.1.custom.input_schema: JSON schema is invalid\"}} | box__odd",
                "{\"error\":{\"message\":\"Invalid 'tools[0].function.parameters'\"}} | greet",
                "{\"error\":{\"message\":\"tools.7.custom.input_schema: JSON schema is invalid\"}} | ",
                "{\"error\":{\"message\":\"this model takes no tools, greet it alone\"}} | "
            })
    void whom_an_endpoint_blames_is_read_from_its_words(String words, String tool) {
        assertThat(ModelTrouble.blamedTool(new HttpException(400, words), List.of("greet", "box__odd")))
                .isEqualTo(Optional.ofNullable(tool));
    }

    @Test
    void the_agents_first_message_to_itself_sets_no_other_to_work() throws Exception {
        var message = JsonNodeFactory.instance.objectNode().put("messageId", "initial-01234567");

        executor(Map.of())
                .answer(
                        new Prompt("t", "c", "script:\ncall delegate_task {}", message, MissingNode.getInstance()),
                        reply);

        assertThat(reply.answer()).startsWith("Heard: Error: there is no tool delegate_task");
    }

    private static List<JsonNode> list(JsonNode array) {
        List<JsonNode> items = new ArrayList<>();
        array.forEach(items::add);
        return items;
    }

    private void answer(String... turns) throws Exception {
        executor(Map.of()).answer(prompt(turns), reply);
    }

    private ModelExecutor executor(Map<String, String> more) {
        return new ModelExecutor(
                setup(more), tools(), ToolSource.NONE, nowhere(), Waits.PATIENCE, Clock.systemUTC(), pause -> {});
    }

    private static Clock clockAt(AtomicReference<Instant> now) {
        return new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return Objects.requireNonNull(now.get());
            }
        };
    }

    private AgentSetup setup(Map<String, String> more) {
        var environment = new HashMap<>(Map.of("OPENAI_BASE_URL", endpoint.url()));
        environment.putAll(more);
        return new AgentSetup("langgraph", "scripted", "", List.of(), 0, () -> "", environment);
    }

    private List<ToolSpec> tools() {
        return List.of(
                tool("greet", (toolbox, arguments) -> ("hello " + name(arguments.json())).strip()),
                tool("meet", (toolbox, arguments) -> {
                    try {
                        meeting.await(60, TimeUnit.SECONDS);
                    } catch (BrokenBarrierException | TimeoutException e) {
                        return "alone " + name(arguments.json());
                    }
                    return "met " + name(arguments.json());
                }),
                tool("boom", (toolbox, arguments) -> {
                    throw new IllegalStateException("a defect");
                }),
                tool("block", (toolbox, arguments) -> {
                    toolRuns.countDown();
                    try {
                        toolLeft.await();
                        return "unblocked";
                    } finally {
                        toolLeft.countDown();
                    }
                }),
                tool("delegate_task", (toolbox, arguments) -> "delegated"));
    }

    private static String name(JsonNode arguments) {
        return arguments.path("name").asText();
    }

    private static ToolSpec tool(String name, ToolSpec.Action action) {
        var schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        schema.putObject("properties");
        return new ToolSpec(
                name, "Does " + name + ".", "When it fits.", schema, action, Section.A2A, name.startsWith("delegate"));
    }

    private static Toolbox nowhere() {
        var nobody = new WorkspaceClient(ClientConfig.of("w", "http://127.0.0.1:1", TokenFile.in(Path.of("nowhere"))));
        return new Toolbox(new Workspaces(List.of(nobody)), Optional.empty());
    }

    private static Prompt prompt(String... turns) {
        return plain("script:\n" + String.join("\n", turns));
    }

    private static Prompt plain(String text) {
        return new Prompt("task-1", "context-1", text, MissingNode.getInstance(), MissingNode.getInstance());
    }
}
