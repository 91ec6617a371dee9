package ai.molecule.proxy.a2a;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.WorkspaceChanged;
import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** ListTasks of A2A 1.0 for agents that keep no list: what the platform has seen of their tasks. */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListingTasksTest {

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    private final Instant begin = Instant.now().truncatedTo(ChronoUnit.HOURS);
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        proxy = ProxyUnderTest.start(vertx);
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    @BeforeEach
    void join() {
        asked.clear();
        agent = proxy.agent(this::answer);
    }

    @Test
    void tasks_of_an_agent_of_0_3_are_listed_by_when_their_status_changed_page_by_page() {
        begin("one", "c", "completed", 10);
        begin("two", "c", "working", 30);
        begin("three", "c", "input-required", 20);

        var first = list("\"pageSize\":2");

        assertThat(ids(first)).containsExactly("two", "three");
        assertThat(first.path("tasks").path(0).toString())
                .isEqualTo(
                        "{\"id\":\"two\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\",\"timestamp\":\""
                                + time(30) + "\"}}");
        assertThat(first.path("pageSize").asInt()).isEqualTo(2);
        assertThat(first.path("totalSize").asInt()).isEqualTo(3);
        var last = list("\"pageSize\":2,\"pageToken\":" + first.path("nextPageToken"));
        assertThat(ids(last)).containsExactly("one");
        assertThat(last.path("nextPageToken").asText("?")).isEmpty();
        assertThat(asked).noneMatch(said -> said.contains("ListTasks"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"contextId\":\"d\" | [two]",
                "\"status\":\"TASK_STATE_COMPLETED\" | [one]",
                "\"status\":\"TASK_STATE_UNSPECIFIED\",\"contextId\":\"\" | [two, one]",
                "\"statusTimestampAfter\":\"AT_20\" | [two]",
                "\"statusTimestampAfter\":\"AT_10\" | [two, one]",
                "\"contextId\":\"nowhere\" | []"
            })
    void they_are_chosen_by_context_state_and_time(String params, String found) {
        begin("one", "c", "completed", 10);
        begin("two", "d", "working", 20);

        var page = list(params.replace("AT_20", time(20)).replace("AT_10", time(10)));

        assertThat(ids(page).toString()).isEqualTo(found);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"pageSize\":0 | pageSize must be a number from 1 to 100",
                "\"pageSize\":101 | pageSize must be a number from 1 to 100",
                "\"historyLength\":-1 | historyLength must be a number from 0",
                "\"pageToken\":\"?\" | pageToken is none that was given here",
                "\"status\":\"working\" | status is no state that a task can have",
                "\"statusTimestampAfter\":\"now\" | statusTimestampAfter must be a time as 2023-10-27T10:00:00Z",
                "\"includeArtifacts\":1 | includeArtifacts must be true or false",
                "\"contextId\":7 | contextId must be a string",
                "\"tenant\":\"else\" | tenant is not this agent's"
            })
    void a_wrong_parameter_is_named(String params, String why) {
        var error = Json.stored(send(params).bodyAsString()).path("error");

        assertThat(error.path("code").asInt()).isEqualTo(-32602);
        assertThat(error.path("message").asText()).isEqualTo(why);
        assertThat(error.at("/data/0/fieldViolations/0/field").asText()).isEqualTo(why.split(" ")[0]);
    }

    @Test
    void a_workspace_sees_what_it_began_and_the_agent_and_the_person_see_all() {
        var caller = proxy.platform.workspaceAt("http://127.0.0.1:9");
        proxy.platform.mayTalk(caller, agent);
        begin("of-the-person", "c", "working", 10);
        begin("of-the-caller", "c", "working", 20, "X-Workspace-ID", caller.toString());
        ask(
                "tasks/get",
                "of-the-person",
                "X-Workspace-ID",
                caller.toString()); // to know of one is not to have begun it

        assertThat(ids(list("", "X-Workspace-ID", caller.toString()))).containsExactly("of-the-caller");
        assertThat(ids(list("", "X-Workspace-ID", agent.toString()))).containsExactly("of-the-caller", "of-the-person");
        assertThat(ids(list(""))).containsExactly("of-the-caller", "of-the-person");
    }

    /** Its id may have been told by others, and its agent asks nobody whose task it is. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tasks/get | {\"id\":\"ANOTHERS\"}",
                "tasks/cancel | {\"id\":\"ANOTHERS\"}",
                "tasks/resubscribe | {\"id\":\"ANOTHERS\"}",
                "tasks/pushNotificationConfig/list | {\"id\":\"ANOTHERS\"}",
                "GetTask | {\"id\":\"ANOTHERS\"}",
                "molecule/tasks/byMessage | {\"messageId\":\"MESSAGE\"}",
                "message/send | {\"message\":{\"kind\":\"message\",\"messageId\":\"n\",\"role\":\"user\",\"taskId\":\"ANOTHERS\",\"parts\":[{\"kind\":\"text\",\"text\":\"yes\"}]}}"
            })
    void of_a_task_that_another_began_a_workspace_learns_nothing_nor_stops_it_nor_answers_in_it(
            String method, String params) {
        var caller = proxy.platform.workspaceAt("http://127.0.0.1:9");
        proxy.platform.mayTalk(caller, agent);
        begin("anothers", "c", "input-required", 10);
        begin("its-own", "c", "input-required", 20, "X-Workspace-ID", caller.toString());
        String message =
                Json.stored(asked.peek()).at("/params/message/messageId").asText();
        asked.clear();
        String request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}"
                .formatted(method, params.replace("ANOTHERS", "anothers").replace("MESSAGE", message));

        await().untilAsserted(() -> {
            asked.clear();
            String answer = proxy.send(agent, request, "X-Workspace-ID", caller.toString())
                    .bodyAsString();
            assertThat(answer).contains("-32001");
            assertThat(asked).isEmpty();
        });

        if (method.equals("tasks/get")) {
            proxy.send(agent, request.replace("anothers", "its-own"), "X-Workspace-ID", caller.toString());
            proxy.send(agent, request);
            assertThat(asked).hasSize(2).anyMatch(said -> said.contains("anothers"));
        }
    }

    @Test
    void what_an_agent_answers_later_changes_the_list_and_nothing_follows_the_end() {
        begin("t", "c", "working", 10);

        ask("tasks/get", "t completed 20");
        ask("tasks/get", "t working 30");

        assertThat(list("").path("tasks").path(0).path("status").path("state").asText())
                .isEqualTo("TASK_STATE_COMPLETED");
    }

    @Test
    void a_stream_is_listed_from_its_first_word_on_and_with_its_end() {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/stream\",\"params\":"
                + message("streamed c completed 10") + "}";

        assertThat(proxy.send(agent, body).bodyAsString()).contains("completed");

        assertThat(list("").path("tasks").path(0).path("status").path("state").asText())
                .isEqualTo("TASK_STATE_COMPLETED");
    }

    @Test
    void histories_and_artifacts_are_asked_of_the_agent_and_left_out_where_it_is_gone() {
        begin("here", "c", "completed", 10);
        begin("gone", "c", "completed", 20);

        var tasks = list("\"includeArtifacts\":true,\"historyLength\":1").path("tasks");

        assertThat(tasks.path(0).has("artifacts")).isFalse();
        assertThat(tasks.path(1).at("/artifacts/0/parts/0/text").asText()).isEqualTo("done");
        assertThat(tasks.path(1).path("history")).hasSize(1);
        assertThat(tasks.path(1).at("/history/0/messageId").asText()).isEqualTo("m-2");
    }

    @Test
    void an_agent_of_1_0_lists_its_own_and_for_one_without_a_list_or_away_the_platform_does() {
        var own = agentOf10(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tasks\":[],\"nextPageToken\":\"\",\"pageSize\":50,\"totalSize\":0,\"own\":true}}");
        var without = agentOf10(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"method not found\"}}");

        assertThat(listOf(own).path("own").asBoolean()).isTrue();
        assertThat(listOf(without).path("pageSize").asInt()).isEqualTo(50);
        begin("t", "c", "working", 10);
        proxy.platform.put(agent, "http://127.0.0.1:9", true, WorkspaceStatus.ONLINE, false);
        proxy.platform.bus.publish(WorkspaceChanged.HINT, new WorkspaceChanged(agent, 2));
        assertThat(ids(list(""))).containsExactly("t");
    }

    @Test
    void an_agent_that_fetches_its_messages_gets_no_question_about_its_tasks() {
        var polling = proxy.platform.workspaceAt("remote://no-inbound");

        assertThat(listOf(polling).path("totalSize").asInt(-1)).isZero();
        assertThat(proxy.platform.rows.stream().filter(row -> row.workspaceId().equals(polling)))
                .isEmpty();
    }

    private JsonNode listOf(UUID workspace) {
        return Json.stored(proxy.send(workspace, request("")).bodyAsString()).path("result");
    }

    private UUID agentOf10(String answer) {
        var id = proxy.agent(request -> {
            if (request.method().name().equals("GET")) {
                json(request.response(), "{\"protocolVersion\":\"1.0\"}");
            } else {
                request.body().onSuccess(body -> json(request.response(), answer));
            }
        });
        return id;
    }

    private void begin(String task, String context, String state, int second, String... headers) {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":"
                + message(task + " " + context + " " + state + " " + second) + "}";
        assertThat(proxy.send(agent, body, headers).bodyAsString()).contains("\"id\":\"" + task);
    }

    private void ask(String method, String about, String... headers) {
        proxy.send(
                agent,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{\"id\":\"" + about + "\"}}",
                headers);
    }

    private static String message(String words) {
        return "{\"message\":{\"kind\":\"message\",\"messageId\":\"" + UUID.randomUUID()
                + "\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"" + words + "\"}]}}";
    }

    /** Does what the words say: {@code <task> <context> <state> <second>}; asked for a task, {@code <task> <state> <second>} likewise. */
    private void answer(HttpServerRequest request) {
        if (request.method().name().equals("GET")) {
            request.response().setStatusCode(404).end();
            return;
        }
        request.body().onSuccess(read -> {
            asked.add(read.toString());
            JsonNode body = Json.stored(read.toString());
            String words = body.at("/params/message/parts/0/text").asText();
            String[] say = (words.isEmpty() ? body.at("/params/id").asText() : words).split(" ");
            switch (body.path("method").asText()) {
                case "message/send" -> result(request, task(say[0], say[1], say[2], say[3]));
                case "message/stream" -> {
                    var events = request.response().setChunked(true).putHeader("Content-Type", "text/event-stream");
                    events.write("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
                            + task(say[0], say[1], "working", say[3]) + "}\n\n");
                    events.end("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + task(say[0], say[1], say[2], say[3])
                            + "}\n\n");
                }
                default -> {
                    if (say.length == 3) {
                        result(request, task(say[0], "c", say[1], say[2]));
                    } else if (say[0].equals("gone")) {
                        json(
                                request.response(),
                                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"Task not found\"}}");
                    } else {
                        var task = task(say[0], "c", "completed", "10");
                        task.putArray("artifacts")
                                .add(Json.stored(
                                        "{\"artifactId\":\"a\",\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}"));
                        task.putArray("history")
                                .add(
                                        Json.stored(
                                                "{\"kind\":\"message\",\"messageId\":\"m-1\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"q\"}]}"))
                                .add(
                                        Json.stored(
                                                "{\"kind\":\"message\",\"messageId\":\"m-2\",\"role\":\"agent\",\"parts\":[{\"kind\":\"text\",\"text\":\"a\"}]}"));
                        result(request, task);
                    }
                }
            }
        });
    }

    private void result(HttpServerRequest request, ObjectNode task) {
        json(request.response(), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + task + "}");
    }

    private ObjectNode task(String id, String context, String state, String second) {
        var task = Json.object().put("kind", "task").put("id", id).put("contextId", context);
        task.putObject("status").put("state", state).put("timestamp", time(Integer.parseInt(second)));
        return task;
    }

    private String time(int second) {
        return Json.time(begin.plusSeconds(second));
    }

    private HttpResponse<Buffer> send(String params, String... headers) {
        return proxy.send(agent, request(params), headers);
    }

    private static String request(String params) {
        return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ListTasks\",\"params\":{" + params + "}}";
    }

    private JsonNode list(String params, String... headers) {
        var answer = Json.stored(send(params, headers).bodyAsString());
        assertThat(answer.path("error").toString()).isEmpty();
        return answer.path("result");
    }

    private static List<String> ids(JsonNode page) {
        List<String> ids = new ArrayList<>();
        page.path("tasks").forEach(task -> ids.add(task.path("id").asText()));
        return ids;
    }
}
