package ai.molecule.system;

import static ai.molecule.system.A2aCaller.id;
import static ai.molecule.system.A2aCaller.json;
import static ai.molecule.system.A2aCaller.message;
import static ai.molecule.system.A2aCaller.object;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.system.A2aCaller.Answer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What A2A 1.0.1 demands of a server, and the most important of 0.3, by the sections of the specification: at our runtime's own port, and at the
 * front door, which is held to what its own card says. Each row is a sentence of the specification with MUST in it, or of its proto that a field is
 * required, unless it says otherwise.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(SharedPlatform.class)
class KeepingToTheSpecificationIT {

    private static final Set<String> STATES = Set.of(
            "TASK_STATE_SUBMITTED",
            "TASK_STATE_WORKING",
            "TASK_STATE_COMPLETED",
            "TASK_STATE_FAILED",
            "TASK_STATE_CANCELED",
            "TASK_STATE_INPUT_REQUIRED",
            "TASK_STATE_REJECTED",
            "TASK_STATE_AUTH_REQUIRED");
    private static final List<String> CONTENTS = List.of("text", "raw", "url", "data");
    private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z";
    private static final String LONG = "wait 15m\nsay late";
    private static final Map<String, String> ENDS = Map.of(
            "COMPLETED", "say done",
            "FAILED", "fail It broke",
            "REJECTED", "reject Not mine",
            "INPUT_REQUIRED", "ask Which one?\nsay $answer",
            "AUTH_REQUIRED", "auth Sign in at the bank\nsay thanks");

    @FunctionalInterface
    private interface Check {
        void of(A2aCaller agent) throws Exception;
    }

    private record Must(String section, String what, Check check) {}

    private ScriptedAgent runtime;
    private A2aCaller own;
    private A2aCaller door;

    @BeforeAll
    void start(@TempDir Path folder, Platform platform) {
        String id = UUID.randomUUID().toString();
        runtime = new ScriptedAgent(id, folder, platform);
        String at = "http://localhost:" + runtime.port;
        own = new A2aCaller(at, at);
        door = new A2aCaller(platform.url + "/workspaces/" + id, platform.url + "/workspaces/" + id + "/a2a");
        String card = PlatformApi.JSON
                .createObjectNode()
                .put("id", id)
                .put("url", at)
                .<ObjectNode>set("agent_card", platform(own, "/.well-known/agent-card.json"))
                .toString();
        platform.post(200, "/registry/register", card);
    }

    private static JsonNode platform(A2aCaller agent, String path) {
        try {
            return agent.get(path, "A2A-Version", "").body();
        } catch (Exception unreachable) {
            throw new IllegalStateException(unreachable);
        }
    }

    @AfterAll
    void stop() {
        runtime.close();
    }

    @TestFactory
    Stream<DynamicNode> at_its_own_port_and_at_the_front_door() {
        return MUSTS.stream()
                .flatMap(must -> Stream.of(
                        DynamicTest.dynamicTest(
                                must.section + " " + must.what + " (own port)", () -> must.check.of(own)),
                        DynamicTest.dynamicTest(
                                must.section + " " + must.what + " (front door)", () -> must.check.of(door))));
    }

    /** Parameters of a message that are wrong, and which member's name is told. */
    private static final Map<String, String> WRONG = Map.of(
            "{}", "message",
            "{'message':{'role':'ROLE_USER','parts':[{'text':'x'}]}}", "message.messageId",
            "{'message':{'messageId':'w','parts':[{'text':'x'}]}}", "message.role",
            "{'message':{'messageId':'w','role':'somebody','parts':[{'text':'x'}]}}", "message.role",
            "{'message':{'messageId':'w','role':'ROLE_USER'}}", "message.parts",
            "{'message':{'messageId':'w','role':'ROLE_USER','parts':[]}}", "message.parts",
            "{'message':{'messageId':'w','role':'ROLE_USER','parts':[{}]}}", "message.parts[0]",
            "{'message':{'messageId':'w','role':'ROLE_USER','parts':[{'text':'x','url':'http://x/'}]}}",
                    "message.parts[0]",
            "{'message':{'messageId':'w','role':'ROLE_USER','parts':[{'text':7}]}}", "message.parts[0].text",
            "{'message':{'messageId':'w','role':'ROLE_USER','parts':[{'text':'x'}]},'configuration':{'historyLength':-1}}",
                    "historyLength");

    private static final List<Must> MUSTS = List.of(
            new Must("1.0 §3.1.1", "a send answers a task or a message", agent -> {
                checkTask(agent.rpc("SendMessage", message("say hi")).body().at("/result/task"));
                checkTask(agent.send("POST", "/message:send", message("say hi").toString())
                        .body()
                        .path("task"));
            }),
            new Must("1.0 §3.1.1", "a task that is over takes no message", agent -> {
                for (String end : List.of("COMPLETED", "FAILED", "REJECTED")) {
                    String task = task(agent, ENDS.get(end), end);
                    refused(agent.rpc("SendMessage", message("more", task)), -32004, "UNSUPPORTED_OPERATION");
                    failed(
                            agent.send(
                                    "POST",
                                    "/message:send",
                                    message("more", task).toString()),
                            400,
                            "UNSUPPORTED_OPERATION");
                    refusedStream(agent, "SendStreamingMessage", message("more", task), -32004);
                }
                String canceled = begun(agent, LONG);
                agent.rpc("CancelTask", id(canceled));
                refused(agent.rpc("SendMessage", message("more", canceled)), -32004, "UNSUPPORTED_OPERATION");
            }),
            new Must(
                    "1.0 §3.1.1",
                    "a media type that the agent does not read is refused, and nothing is begun",
                    agent -> {
                        ObjectNode params = message("x");
                        ObjectNode part = (ObjectNode) params.at("/message/parts/0");
                        part.removeAll().put("raw", "dGNr").put("mediaType", "application/x-unknown");
                        params.withObjectProperty("message")
                                .put(
                                        "contextId",
                                        "type-"
                                                + params.at("/message/messageId")
                                                        .asText());
                        refused(agent.rpc("SendMessage", params), -32005, "CONTENT_TYPE_NOT_SUPPORTED");
                        failed(
                                agent.send("POST", "/message:send", params.toString()),
                                400,
                                "CONTENT_TYPE_NOT_SUPPORTED");
                        refusedStream(agent, "SendStreamingMessage", params, -32005);
                        assertThat(listed(agent, params.at("/message/contextId").asText(), "")
                                        .at("/result/totalSize")
                                        .asInt())
                                .isZero();
                    }),
            new Must("1.0 §3.1.2", "a stream begins with its task, and ends when that is over", agent -> {
                for (boolean rpc : List.of(true, false)) {
                    try (var stream = rpc
                            ? agent.rpcStream("SendStreamingMessage", message("say a\nwait 10ms\nsay b"))
                            : agent.stream(
                                    "POST",
                                    "/message:stream",
                                    message("say a\nwait 10ms\nsay b").toString())) {
                        assertThat(stream.type).startsWith("text/event-stream");
                        var events = stream.rest().stream()
                                .map(event -> rpc ? result(event) : event)
                                .toList();
                        checkTask(events.getFirst().path("task"));
                        assertThat(events.getLast()
                                        .at("/statusUpdate/status/state")
                                        .asText())
                                .isEqualTo("TASK_STATE_COMPLETED");
                        checkOrder(events);
                    }
                }
            }),
            new Must(
                    "1.0 §3.1.2",
                    "a stream of a task that is not there is TaskNotFoundError",
                    agent -> refusedStream(agent, "SendStreamingMessage", message("x", "no-such-task"), -32001)),
            new Must("1.0 §3.1.3", "a task is got as it is, and one that is not there is TaskNotFoundError", agent -> {
                String task = task(agent, "say hi", "COMPLETED");
                JsonNode got = agent.rpc("GetTask", id(task)).body().path("result");
                checkTask(got);
                assertThat(got.at("/artifacts/0/parts/0/text").asText()).isEqualTo("hi\n");
                assertThat(agent.send("GET", "/tasks/" + task, "").body()).isEqualTo(got);
                refused(agent.rpc("GetTask", id("no-such-task")), -32001, "TASK_NOT_FOUND");
                failed(agent.send("GET", "/tasks/no-such-task", ""), 404, "TASK_NOT_FOUND");
            }),
            new Must(
                    "1.0 §3.1.4",
                    "tasks come newest first, page by page, without artifacts unless asked for",
                    agent -> {
                        String context = UUID.randomUUID().toString();
                        for (int i = 0; i < 3; i++) {
                            ObjectNode params = message("say " + i);
                            params.withObjectProperty("message").put("contextId", context);
                            agent.rpc("SendMessage", params);
                        }
                        List<JsonNode> all = new ArrayList<>();
                        String token = "";
                        do {
                            JsonNode page = listed(agent, context, token).path("result");
                            assertThat(page.fieldNames())
                                    .toIterable()
                                    .contains("tasks", "nextPageToken", "pageSize", "totalSize");
                            assertThat(page.path("totalSize").asInt()).isEqualTo(3);
                            assertThat(page.path("tasks").size()).isLessThanOrEqualTo(2);
                            page.path("tasks").forEach(all::add);
                            token = page.path("nextPageToken").asText();
                        } while (!token.isEmpty());
                        assertThat(all)
                                .hasSize(3)
                                .noneMatch(task -> task.has("artifacts"))
                                .allSatisfy(KeepingToTheSpecificationIT::checkTask);
                        assertThat(all.stream().map(task -> task.path("id").asText()))
                                .doesNotHaveDuplicates();
                        assertThat(all)
                                .isSortedAccordingTo(Comparator.comparing((JsonNode task) -> Instant.parse(
                                                task.at("/status/timestamp").asText()))
                                        .reversed());
                        String query = "/tasks?contextId=" + context
                                + "&pageSize=100&includeArtifacts=true&status=TASK_STATE_COMPLETED";
                        JsonNode page = agent.send("GET", query, "").body();
                        assertThat(page.path("nextPageToken").isTextual()).isTrue();
                        assertThat(page.path("nextPageToken").asText()).isEmpty();
                        assertThat(page.path("tasks")).hasSize(3).allMatch(task -> task.has("artifacts"));
                        assertThat(agent.send("GET", "/tasks?contextId=" + context + "&status=TASK_STATE_FAILED", "")
                                        .body()
                                        .path("tasks"))
                                .isEmpty();
                    }),
            new Must(
                    "1.0 §3.1.5",
                    "what runs can be canceled, what is over cannot, what is not there is not found",
                    agent -> {
                        for (boolean rpc : List.of(true, false)) {
                            String task = begun(agent, LONG);
                            JsonNode canceled = rpc
                                    ? agent.rpc("CancelTask", id(task)).body().path("result")
                                    : agent.send("POST", "/tasks/" + task + ":cancel", "")
                                            .body();
                            checkTask(canceled);
                            assertThat(canceled.at("/status/state").asText()).isEqualTo("TASK_STATE_CANCELED");
                        }
                        String asks = task(agent, ENDS.get("INPUT_REQUIRED"), "INPUT_REQUIRED");
                        assertThat(agent.rpc("CancelTask", id(asks))
                                        .body()
                                        .at("/result/status/state")
                                        .asText())
                                .isEqualTo("TASK_STATE_CANCELED");
                        String over = task(agent, "say hi", "COMPLETED");
                        refused(agent.rpc("CancelTask", id(over)), -32002, "TASK_NOT_CANCELABLE");
                        failed(agent.send("POST", "/tasks/" + over + ":cancel", "{}"), 400, "TASK_NOT_CANCELABLE");
                        refused(agent.rpc("CancelTask", id("no-such-task")), -32001, "TASK_NOT_FOUND");
                        failed(agent.send("POST", "/tasks/no-such-task:cancel", ""), 404, "TASK_NOT_FOUND");
                    }),
            new Must(
                    "1.0 §3.1.6",
                    "whoever follows a task sees it first, then what comes, and the end with its end",
                    agent -> {
                        for (String binding : List.of("rpc", "GET", "POST")) {
                            String task = task(agent, ENDS.get("INPUT_REQUIRED"), "INPUT_REQUIRED");
                            boolean rpc = binding.equals("rpc");
                            try (var stream = rpc
                                    ? agent.rpcStream("SubscribeToTask", id(task))
                                    : agent.stream(binding, "/tasks/" + task + ":subscribe", "")) {
                                JsonNode first = stream.next();
                                assertThat((rpc ? result(first) : first)
                                                .at("/task/id")
                                                .asText())
                                        .isEqualTo(task);
                                agent.rpc("SendMessage", message("that one", task));
                                var rest = stream.rest();
                                JsonNode last = rest.getLast();
                                assertThat((rpc ? result(last) : last)
                                                .at("/statusUpdate/status/state")
                                                .asText())
                                        .isEqualTo("TASK_STATE_COMPLETED");
                            }
                        }
                    }),
            new Must("1.0 §3.1.6", "nobody follows what is over or not there", agent -> {
                String over = task(agent, "say hi", "COMPLETED");
                refusedStream(agent, "SubscribeToTask", id(over), -32004);
                refusedStream(agent, "SubscribeToTask", id("no-such-task"), -32001);
                failedStream(agent, "POST", over, 400, "UNSUPPORTED_OPERATION");
                failedStream(agent, "GET", over, 400, "UNSUPPORTED_OPERATION");
                failedStream(agent, "POST", "no-such-task", 404, "TASK_NOT_FOUND");
            }),
            new Must(
                    "1.0 §3.1.7 to §3.1.10, §3.3.4",
                    "receivers are kept, told of, listed and forgotten, or refused, as the card says",
                    agent -> {
                        String task = task(agent, ENDS.get("INPUT_REQUIRED"), "INPUT_REQUIRED");
                        ObjectNode config = object().put("id", "r-1").put("url", "https://receiver.example/told");
                        if (!card(agent).at("/capabilities/pushNotifications").asBoolean()) {
                            for (String method : List.of("Create", "Get", "Delete")) {
                                refused(
                                        agent.rpc(method + "TaskPushNotificationConfig", config.put("taskId", task)),
                                        -32003,
                                        "PUSH_NOTIFICATION_NOT_SUPPORTED");
                            }
                            refused(
                                    agent.rpc("ListTaskPushNotificationConfigs", config),
                                    -32003,
                                    "PUSH_NOTIFICATION_NOT_SUPPORTED");
                            failed(
                                    agent.send(
                                            "POST", "/tasks/" + task + "/pushNotificationConfigs", config.toString()),
                                    400,
                                    "PUSH_NOTIFICATION_NOT_SUPPORTED");
                            failed(
                                    agent.send("GET", "/tasks/" + task + "/pushNotificationConfigs", ""),
                                    400,
                                    "PUSH_NOTIFICATION_NOT_SUPPORTED");
                            failed(
                                    agent.send("GET", "/tasks/" + task + "/pushNotificationConfigs/r-1", ""),
                                    400,
                                    "PUSH_NOTIFICATION_NOT_SUPPORTED");
                            failed(
                                    agent.send("DELETE", "/tasks/" + task + "/pushNotificationConfigs/r-1", ""),
                                    400,
                                    "PUSH_NOTIFICATION_NOT_SUPPORTED");
                            return;
                        }
                        JsonNode created = agent.send(
                                        "POST", "/tasks/" + task + "/pushNotificationConfigs", config.toString())
                                .body();
                        assertThat(List.of(
                                        created.path("id").asText(),
                                        created.path("taskId").asText(),
                                        created.path("url").asText()))
                                .containsExactly("r-1", task, "https://receiver.example/told");
                        JsonNode unnamed = agent.rpc(
                                        "CreateTaskPushNotificationConfig",
                                        object().put("taskId", task).put("url", "https://receiver.example/2"))
                                .body();
                        assertThat(unnamed.at("/result/id").asText()).isNotEmpty();
                        ObjectNode one = object().put("taskId", task).put("id", "r-1");
                        assertThat(agent.rpc("GetTaskPushNotificationConfig", one)
                                        .body()
                                        .path("result"))
                                .isEqualTo(created);
                        assertThat(agent.send("GET", "/tasks/" + task + "/pushNotificationConfigs/r-1", "")
                                        .body())
                                .isEqualTo(created);
                        JsonNode list = agent.rpc("ListTaskPushNotificationConfigs", object().put("taskId", task))
                                .body()
                                .path("result");
                        assertThat(list.path("configs")).hasSize(2).contains(created);
                        refused(
                                agent.rpc(
                                        "GetTaskPushNotificationConfig",
                                        object().put("taskId", task).put("id", "none")),
                                -32001,
                                "TASK_NOT_FOUND");
                        refused(
                                agent.rpc(
                                        "CreateTaskPushNotificationConfig",
                                        object().put("taskId", "no-such-task")
                                                .put("url", "https://receiver.example/3")),
                                -32001,
                                "TASK_NOT_FOUND");
                        for (int twice = 0; twice < 2; twice++) {
                            assertThat(agent.rpc("DeleteTaskPushNotificationConfig", one)
                                            .body()
                                            .has("result"))
                                    .isTrue();
                            assertThat(agent.send("DELETE", "/tasks/" + task + "/pushNotificationConfigs/r-1", "")
                                            .status())
                                    .isEqualTo(200);
                        }
                        failed(
                                agent.send("GET", "/tasks/" + task + "/pushNotificationConfigs/r-1", ""),
                                404,
                                "TASK_NOT_FOUND");
                    }),
            new Must(
                    "1.0 §3.1.11, §3.3.4",
                    "an extended card that the card does not promise is an unsupported operation",
                    agent -> {
                        assertThat(card(agent)
                                        .at("/capabilities/extendedAgentCard")
                                        .asBoolean())
                                .isFalse();
                        refused(agent.rpc("GetExtendedAgentCard", object()), -32004, "UNSUPPORTED_OPERATION");
                        failed(agent.send("GET", "/extendedAgentCard", ""), 400, "UNSUPPORTED_OPERATION");
                        assertThat(card(agent).at("/capabilities/streaming").asBoolean())
                                .isTrue();
                    }),
            new Must(
                    "1.0 §3.2.2",
                    "a send waits until the task is over or interrupted, and does not where it need not",
                    agent -> {
                        for (var end : ENDS.entrySet()) {
                            task(agent, "wait 20ms\n" + end.getValue(), end.getKey());
                        }
                        JsonNode immediate =
                                agent.rpc("SendMessage", atOnce(LONG)).body().at("/result/task");
                        assertThat(immediate.at("/status/state").asText())
                                .isIn("TASK_STATE_SUBMITTED", "TASK_STATE_WORKING");
                        JsonNode bare = agent.send(
                                        "POST", "/message:send", atOnce(LONG).toString())
                                .body()
                                .path("task");
                        assertThat(bare.at("/status/state").asText())
                                .isIn("TASK_STATE_SUBMITTED", "TASK_STATE_WORKING");
                        agent.rpc("CancelTask", id(immediate.path("id").asText()));
                        agent.rpc("CancelTask", id(bare.path("id").asText()));
                    }),
            new Must("1.0 §3.2.4", "there is no more history than was asked for", agent -> {
                String task = task(agent, ENDS.get("INPUT_REQUIRED"), "INPUT_REQUIRED");
                ObjectNode more = message("that one", task);
                more.putObject("configuration").put("historyLength", 0);
                JsonNode sent = agent.rpc("SendMessage", more).body().at("/result/task");
                assertThat(sent.has("history")).isFalse();
                assertThat(agent.rpc("GetTask", id(task).put("historyLength", 0))
                                .body()
                                .path("result")
                                .has("history"))
                        .isFalse();
                assertThat(agent.send("GET", "/tasks/" + task + "?historyLength=1", "")
                                .body()
                                .path("history"))
                        .hasSize(1);
                assertThat(agent.rpc("GetTask", id(task))
                                .body()
                                .at("/result/history")
                                .size())
                        .isGreaterThan(1);
                for (int wrong : List.of(-1, -5)) {
                    refused(agent.rpc("ListTasks", object().put("historyLength", wrong)), -32602, "");
                }
            }),
            new Must("1.0 §3.2.6", "an extension that the agent does not know is passed over", agent -> {
                Answer answer = agent.rpc(
                        "SendMessage",
                        message("say hi"),
                        "A2A-Extensions",
                        "https://example.com/a/v1,https://example.com/b/v2");
                checkTask(answer.body().at("/result/task"));
                Answer bare = agent.send(
                        "POST",
                        "/message:send",
                        message("say hi").toString(),
                        "A2A-Extensions",
                        "https://example.com/a/v1");
                checkTask(bare.body().path("task"));
            }),
            new Must("1.0 §3.3.2", "what is wrong is said, by the field's name, before anything is done", agent -> {
                for (var wrong : WRONG.entrySet()) {
                    Answer answer = agent.rpc("SendMessage", json(wrong.getKey()));
                    refused(answer, -32602, "");
                    assertThat(answer.text()).as(wrong.getKey()).contains(wrong.getValue());
                    Answer bare = agent.send(
                            "POST", "/message:send", json(wrong.getKey()).toString());
                    assertThat(bare.status()).as(wrong.getKey()).isEqualTo(400);
                    assertThat(bare.body().at("/error/status").asText()).isEqualTo("INVALID_ARGUMENT");
                    assertThat(bare.text()).as(wrong.getKey()).contains(wrong.getValue());
                }
                for (String query : List.of(
                        "pageSize=0",
                        "pageSize=101",
                        "status=TASK_STATE_RUNNING",
                        "pageToken=none",
                        "includeArtifacts=maybe",
                        "statusTimestampAfter=now")) {
                    Answer answer = agent.send("GET", "/tasks?" + query, "");
                    assertThat(answer.status()).as(query).isEqualTo(400);
                    assertThat(answer.text()).contains(query.substring(0, query.indexOf('=')));
                }
            }),
            new Must("1.0 §3.4.1", "a context is made and told, or taken as it is given", agent -> {
                JsonNode made =
                        agent.rpc("SendMessage", message("say hi")).body().at("/result/task");
                assertThat(made.path("contextId").asText()).isNotEmpty();
                ObjectNode params = message("say hi");
                params.withObjectProperty("message")
                        .put("contextId", "mine-" + made.path("id").asText());
                assertThat(agent.rpc("SendMessage", params)
                                .body()
                                .at("/result/task/contextId")
                                .asText())
                        .isEqualTo("mine-" + made.path("id").asText());
            }),
            new Must("1.0 §3.4.2", "each task has an id of its own, and nobody else gives it", agent -> {
                Set<String> ids = new HashSet<>();
                for (int i = 0; i < 3; i++) {
                    ids.add(task(agent, "say hi", "COMPLETED"));
                }
                assertThat(ids).hasSize(3);
                refused(agent.rpc("SendMessage", message("x", "no-such-task")), -32001, "TASK_NOT_FOUND");
                failed(
                        agent.send(
                                "POST",
                                "/message:send",
                                message("x", "no-such-task").toString()),
                        404,
                        "TASK_NOT_FOUND");
            }),
            new Must("1.0 §3.4.3", "a task's context is known by the task, and another one is refused", agent -> {
                JsonNode asked = agent.rpc("SendMessage", message(ENDS.get("INPUT_REQUIRED")))
                        .body()
                        .at("/result/task");
                ObjectNode elsewhere = message("that one", asked.path("id").asText());
                elsewhere.withObjectProperty("message").put("contextId", "another");
                refused(agent.rpc("SendMessage", elsewhere), -32602, "");
                assertThat(agent.send("POST", "/message:send", elsewhere.toString())
                                .status())
                        .isEqualTo(400);
                JsonNode answered = agent.rpc(
                                "SendMessage",
                                message("that one", asked.path("id").asText()))
                        .body()
                        .at("/result/task");
                assertThat(answered.path("id")).isEqualTo(asked.path("id"));
                assertThat(answered.path("contextId")).isEqualTo(asked.path("contextId"));
                assertThat(answered.at("/status/state").asText()).isEqualTo("TASK_STATE_COMPLETED");
            }),
            new Must(
                    "1.0 §3.5.2",
                    "all who follow a task see the same in the same order, and one who leaves takes nothing with him",
                    agent -> {
                        String task = task(agent, "ask Which one?\nsay a\nwait 10ms\nsay b", "INPUT_REQUIRED");
                        try (var leaves = agent.rpcStream("SubscribeToTask", id(task));
                                var one = agent.rpcStream("SubscribeToTask", id(task));
                                var other = agent.rpcStream("SubscribeToTask", id(task))) {
                            assertThat(leaves.next().at("/result/task/id").asText())
                                    .isEqualTo(task);
                            List<JsonNode> seen = new ArrayList<>(List.of(one.next()));
                            List<JsonNode> alsoSeen = new ArrayList<>(List.of(other.next()));
                            leaves.close();
                            agent.rpc("SendMessage", message("that one", task));
                            seen.addAll(one.rest());
                            alsoSeen.addAll(other.rest());
                            assertThat(seen).hasSizeGreaterThan(2).isEqualTo(alsoSeen);
                            assertThat(seen.getLast()
                                            .at("/result/statusUpdate/status/state")
                                            .asText())
                                    .isEqualTo("TASK_STATE_COMPLETED");
                        }
                    }),
            new Must(
                    "1.0 §3.6",
                    "a version is known by major and minor, in the header or the query, and an unknown one refused",
                    agent -> {
                        checkTask(agent.rpc("SendMessage", message("say hi"), "A2A-Version", "1.0.7")
                                .body()
                                .at("/result/task"));
                        for (String method :
                                List.of("SendMessage", "GetTask", "ListTasks", "CancelTask", "GetExtendedAgentCard")) {
                            refused(
                                    agent.rpc(method, message("say hi"), "A2A-Version", "99.0"),
                                    -32009,
                                    "VERSION_NOT_SUPPORTED");
                        }
                        failed(
                                agent.send(
                                        "POST",
                                        "/message:send",
                                        message("say hi").toString(),
                                        "A2A-Version",
                                        "99.0"),
                                400,
                                "VERSION_NOT_SUPPORTED");
                        failed(agent.send("GET", "/tasks", "", "A2A-Version", "99.0"), 400, "VERSION_NOT_SUPPORTED");
                        Answer empty = agent.rpc("message/send", message03("say hi"), "A2A-Version", "");
                        assertThat(empty.body().at("/result/kind").asText()).isEqualTo("task");
                    }),
            new Must(
                    "1.0 §4.1, §5.5, §5.6",
                    "objects have what they must, in camelCase, with words for enums and times in UTC",
                    agent -> {
                        for (var end : ENDS.entrySet()) {
                            JsonNode body = agent.rpc("SendMessage", message(end.getValue()))
                                    .body();
                            checkTask(body.at("/result/task"));
                            checkNames(body);
                        }
                    }),
            new Must("1.0 §5.1", "either binding tells the same", agent -> {
                String task = task(agent, "say hi", "COMPLETED");
                String context = agent.rpc("GetTask", id(task))
                        .body()
                        .at("/result/contextId")
                        .asText();
                assertThat(agent.send("GET", "/tasks?contextId=" + context, "").body())
                        .isEqualTo(agent.rpc("ListTasks", object().put("contextId", context))
                                .body()
                                .path("result"));
            }),
            new Must("1.0 §5.7", "members that nobody knows are passed over (SHOULD)", agent -> {
                ObjectNode params = message("say hi").put("unheardOf", 42);
                params.withObjectProperty("message").put("unheardOf", "of");
                checkTask(agent.rpc("SendMessage", params).body().at("/result/task"));
                checkTask(agent.send(
                                "POST", "/message:send", params.put("more", 1).toString())
                        .body()
                        .path("task"));
            }),
            new Must(
                    "1.0 §7.6.1",
                    "who needs a sign-in has a task that says what for, and takes messages meanwhile",
                    agent -> {
                        JsonNode task = agent.rpc("SendMessage", message(ENDS.get("AUTH_REQUIRED")))
                                .body()
                                .at("/result/task");
                        assertThat(task.at("/status/message/parts/0/text").asText())
                                .isEqualTo("Sign in at the bank");
                        JsonNode kept = agent.rpc("GetTask", id(task.path("id").asText()))
                                .body()
                                .path("result");
                        assertThat(kept.at("/status/state").asText()).isEqualTo("TASK_STATE_AUTH_REQUIRED");
                        JsonNode after = agent.rpc(
                                        "SendMessage",
                                        message("done", task.path("id").asText()))
                                .body()
                                .at("/result/task");
                        assertThat(after.at("/status/state").asText()).isEqualTo("TASK_STATE_COMPLETED");
                    }),
            new Must("1.0 §8", "a card is there, has what it must, and each interface in it answers", agent -> {
                JsonNode card = card(agent);
                assertThat(card.fieldNames())
                        .toIterable()
                        .contains(
                                "name",
                                "description",
                                "version",
                                "supportedInterfaces",
                                "capabilities",
                                "defaultInputModes",
                                "defaultOutputModes",
                                "skills");
                assertThat(card.path("skills"))
                        .isNotEmpty()
                        .allSatisfy(skill -> assertThat(skill.fieldNames())
                                .toIterable()
                                .contains("id", "name", "description", "tags"));
                assertThat(card.at("/supportedInterfaces/0/protocolVersion").asText())
                        .isEqualTo("1.0");
                for (JsonNode at : card.path("supportedInterfaces")) {
                    var there = new A2aCaller(agent.root, at.path("url").asText());
                    String version = at.path("protocolVersion").asText();
                    Answer answer = at.path("protocolBinding").asText().equals("HTTP+JSON")
                            ? there.send(
                                    "POST", "/message:send", message("say hi").toString(), "A2A-Version", version)
                            : version.equals("1.0")
                                    ? there.rpc("SendMessage", message("say hi"), "A2A-Version", version)
                                    : there.rpc("message/send", message03("say hi"), "A2A-Version", version);
                    assertThat(answer.status()).as(at.toString()).isEqualTo(200);
                }
            }),
            new Must(
                    "1.0 §8.6.1",
                    "a card says how long it keeps, and is not sent again to who has it (SHOULD)",
                    agent -> {
                        Answer card = agent.get("/.well-known/agent-card.json");
                        assertThat(card.headers().firstValue("Cache-Control").orElse(""))
                                .contains("max-age=");
                        String tag = card.headers().firstValue("ETag").orElseThrow();
                        assertThat(agent.get("/.well-known/agent-card.json", "If-None-Match", tag)
                                        .status())
                                .isEqualTo(304);
                    }),
            new Must("1.0 §9.1, §9.3", "JSON-RPC 2.0 is spoken: its envelope, its types, the request's id", agent -> {
                Answer answer = agent.rpc("SendMessage", message("say hi"));
                assertThat(answer.type()).startsWith("application/json");
                assertThat(answer.body().path("jsonrpc").asText()).isEqualTo("2.0");
                assertThat(answer.body().path("id").asText()).isEqualTo("r-1");
                assertThat(answer.body().has("error")).isFalse();
                JsonNode numbered = agent.send(
                                "POST",
                                "",
                                "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"GetTask\",\"params\":{\"id\":\"x\"}}")
                        .body();
                assertThat(numbered.path("id")).isEqualTo(json("7"));
                try (var stream = agent.rpcStream("SendStreamingMessage", message("say hi"))) {
                    assertThat(stream.rest()).hasSizeGreaterThan(1).allSatisfy(event -> {
                        assertThat(event.path("jsonrpc").asText()).isEqualTo("2.0");
                        assertThat(event.path("id").asText()).isEqualTo("r-1");
                        assertThat(event.path("result")).hasSize(1);
                    });
                }
            }),
            new Must("1.0 §9.5", "each error of JSON-RPC has its number", agent -> {
                assertThat(agent.send("POST", "", "{this is not json").rpcError())
                        .isEqualTo(-32700);
                assertThat(agent.send("POST", "", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"GetTask\"}")
                                .rpcError())
                        .isEqualTo(-32600);
                assertThat(agent.send("POST", "", "{\"jsonrpc\":\"2.0\",\"id\":1}")
                                .rpcError())
                        .isEqualTo(-32600);
                assertThat(agent.send("POST", "", "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"GetTask\"}")
                                .rpcError())
                        .isEqualTo(-32600);
                assertThat(agent.rpc("DoSomethingElse", object()).rpcError()).isEqualTo(-32601);
                assertThat(agent.rpc("message/send", message03("say hi")).rpcError())
                        .isEqualTo(-32601);
                assertThat(agent.rpc("SendMessage", json("[1]")).rpcError()).isEqualTo(-32602);
                for (String method : List.of("GetTask", "CancelTask")) {
                    Answer answer = agent.rpc(method, object());
                    refused(answer, -32602, "");
                    assertThat(answer.body().at("/error/data"))
                            .isNotEmpty()
                            .allSatisfy(detail ->
                                    assertThat(detail.path("@type").asText()).startsWith("type.googleapis.com/"));
                }
            }),
            new Must(
                    "1.0 §11.1, §11.6",
                    "HTTP+JSON answers in its type, and its errors are a google.rpc.Status",
                    agent -> {
                        assertThat(agent.send(
                                                "POST",
                                                "/message:send",
                                                message("say hi").toString())
                                        .type())
                                .startsWith("application/a2a+json");
                        assertThat(agent.send(
                                                "POST",
                                                "/message:send",
                                                message("say hi").toString(),
                                                "Content-Type",
                                                "application/a2a+json")
                                        .status())
                                .isEqualTo(200);
                        JsonNode error = agent.send("GET", "/tasks/no-such-task", "")
                                .body()
                                .path("error");
                        assertThat(error.path("status").asText()).isEqualTo("NOT_FOUND");
                        assertThat(error.path("message").isTextual()).isTrue();
                        assertThat(error.at("/details/0/@type").asText())
                                .isEqualTo("type.googleapis.com/google.rpc.ErrorInfo");
                        assertThat(error.at("/details/0/domain").asText()).isEqualTo("a2a-protocol.org");
                        assertThat(agent.send("POST", "/message:send", "{").status())
                                .isEqualTo(400);
                        assertThat(agent.send("POST", "/message:send", "[]").status())
                                .isEqualTo(400);
                    }),
            new Must("1.0, a2a.proto", "each path of HTTP+JSON may begin with the tenant", agent -> {
                String tenant = agent.root.substring(agent.root.lastIndexOf('/') + 1);
                if (agent.root.equals(agent.address)) {
                    return; // at its own port an agent is asked by the id of its workspace, which this one's address
                    // does not have
                }
                checkTask(agent.send(
                                "POST",
                                "/" + tenant + "/message:send",
                                message("say hi").toString())
                        .body()
                        .path("task"));
                assertThat(agent.send("GET", "/" + UUID.randomUUID() + "/tasks", "")
                                .status())
                        .isEqualTo(404);
            }),
            new Must("0.3 §5.5, §5.6", "the card of 0.3 has what that demands, and what it prefers answers", agent -> {
                for (String path : List.of("/.well-known/agent-card.json", "/.well-known/agent.json")) {
                    JsonNode card = agent.get(path, "A2A-Version", "0.3").body();
                    assertThat(card.fieldNames())
                            .toIterable()
                            .contains(
                                    "protocolVersion",
                                    "name",
                                    "description",
                                    "url",
                                    "version",
                                    "capabilities",
                                    "defaultInputModes",
                                    "defaultOutputModes",
                                    "skills",
                                    "preferredTransport");
                    assertThat(card.path("protocolVersion").asText()).startsWith("0.3");
                    assertThat(card.path("preferredTransport").asText()).isEqualTo("JSONRPC");
                    var there = new A2aCaller(agent.root, card.path("url").asText());
                    assertThat(there.rpc("message/send", message03("say hi"), "A2A-Version", "")
                                    .status())
                            .isEqualTo(200);
                }
            }),
            new Must(
                    "0.3 §7.1, §7.3, §7.4",
                    "a message makes a task, which is got, told of and canceled by the rules",
                    agent -> {
                        JsonNode task =
                                in03(agent, "message/send", message03("say hi")).path("result");
                        assertThat(task.path("kind").asText()).isEqualTo("task");
                        assertThat(task.at("/status/state").asText()).isEqualTo("completed");
                        assertThat(task.at("/artifacts/0/parts/0/kind").asText())
                                .isEqualTo("text");
                        String over = task.path("id").asText();
                        assertThat(in03(agent, "tasks/get", id(over))
                                        .at("/result/id")
                                        .asText())
                                .isEqualTo(over);
                        assertThat(in03(agent, "tasks/get", id(over).put("historyLength", 1))
                                        .at("/result/history"))
                                .hasSize(1);
                        assertThat(in03(agent, "tasks/get", id("no-such-task"))
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32001);
                        assertThat(in03(agent, "tasks/get", object())
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32602);
                        assertThat(in03(agent, "tasks/cancel", id(over))
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32002);
                        assertThat(in03(agent, "tasks/cancel", id("no-such-task"))
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32001);
                        String runs = begun(agent, LONG);
                        assertThat(in03(agent, "tasks/cancel", id(runs))
                                        .at("/result/status/state")
                                        .asText())
                                .isEqualTo("canceled");
                        assertThat(in03(agent, "agent/getAuthenticatedExtendedCard", object())
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32007);
                        assertThat(in03(agent, "no/such", object())
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32601);
                        assertThat(in03(agent, "message/send", object())
                                        .at("/error/code")
                                        .asInt())
                                .isEqualTo(-32602);
                    }),
            new Must(
                    "0.3 §7.2, §7.9",
                    "events have their kind, the last says so, and whoever comes back follows",
                    agent -> {
                        try (var stream = agent.stream(
                                "POST", "", rpc03("message/stream", message03("say a\nsay b")), "A2A-Version", "0.3")) {
                            assertThat(stream.type).startsWith("text/event-stream");
                            var events = stream.rest();
                            assertThat(events.getFirst().at("/result/kind").asText())
                                    .isEqualTo("task");
                            assertThat(events.stream()
                                            .map(event ->
                                                    event.at("/result/kind").asText()))
                                    .containsOnly("task", "status-update", "artifact-update");
                            assertThat(events.getLast().at("/result/final").asBoolean())
                                    .isTrue();
                        }
                        String asks = task(agent, ENDS.get("INPUT_REQUIRED"), "INPUT_REQUIRED");
                        try (var stream =
                                agent.stream("POST", "", rpc03("tasks/resubscribe", id(asks)), "A2A-Version", "0.3")) {
                            assertThat(stream.status).isEqualTo(200);
                        }
                        JsonNode push = in03(agent, "tasks/pushNotificationConfig/get", id(asks));
                        int code = card(agent)
                                        .at("/capabilities/pushNotifications")
                                        .asBoolean()
                                ? -32001
                                : -32003;
                        assertThat(push.at("/error/code").asInt()).isEqualTo(code);
                    }));

    private static JsonNode card(A2aCaller agent) throws Exception {
        Answer card = agent.get("/.well-known/agent-card.json");
        assertThat(card.status()).isEqualTo(200);
        return card.body();
    }

    private static JsonNode result(JsonNode event) {
        return event.path("result");
    }

    private static ObjectNode atOnce(String words) {
        ObjectNode params = message(words);
        params.putObject("configuration").put("returnImmediately", true);
        return params;
    }

    /** The id of a task that works for long. */
    private static String begun(A2aCaller agent, String words) throws Exception {
        return agent.rpc("SendMessage", atOnce(words))
                .body()
                .at("/result/task/id")
                .asText();
    }

    /** The id of a task that came there. */
    private static String task(A2aCaller agent, String words, String state) throws Exception {
        JsonNode task = agent.rpc("SendMessage", message(words)).body().at("/result/task");
        assertThat(task.at("/status/state").asText()).as(task.toString()).isEqualTo("TASK_STATE_" + state);
        return task.path("id").asText();
    }

    private static JsonNode listed(A2aCaller agent, String context, String token) throws Exception {
        return agent.rpc(
                        "ListTasks",
                        object().put("contextId", context).put("pageSize", 2).put("pageToken", token))
                .body();
    }

    private static ObjectNode message03(String words) {
        ObjectNode params = object();
        ObjectNode message = params.putObject("message").put("kind", "message").put("role", "user");
        message.put("messageId", UUID.randomUUID().toString());
        message.putArray("parts").addObject().put("kind", "text").put("text", words);
        return params;
    }

    private static String rpc03(String method, JsonNode params) {
        ObjectNode request = object().put("jsonrpc", "2.0").put("id", "r-1").put("method", method);
        request.set("params", params);
        return request.toString();
    }

    private static JsonNode in03(A2aCaller agent, String method, JsonNode params) throws Exception {
        return agent.rpc(method, params, "A2A-Version", "0.3").body();
    }

    private static void refused(Answer answer, int code, String reason) {
        JsonNode error = answer.body().path("error");
        assertThat(answer.rpcError()).as(answer.text()).isEqualTo(code);
        assertThat(error.path("message").asText()).isNotEmpty();
        assertThat(error.fieldNames()).toIterable().isSubsetOf("code", "message", "data");
        if (!reason.isEmpty()) {
            assertThat(answer.reason()).as(answer.text()).isEqualTo(reason);
            assertThat(error.at("/data/0/domain").asText()).isEqualTo("a2a-protocol.org");
        }
    }

    private static void failed(Answer answer, int status, String reason) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.body().at("/error/code").asInt()).isEqualTo(status);
        assertThat(answer.reason()).as(answer.text()).isEqualTo(reason);
    }

    private static void refusedStream(A2aCaller agent, String method, JsonNode params, int code) throws Exception {
        try (var stream = agent.rpcStream(method, params)) {
            var events = stream.rest();
            assertThat(events).hasSize(1);
            assertThat(events.getFirst().at("/error/code").asInt())
                    .as(events.toString())
                    .isEqualTo(code);
        }
    }

    /** As an answer, or through the door, where the agent's stream had begun, as its one event. */
    private static void failedStream(A2aCaller agent, String method, String task, int status, String reason)
            throws Exception {
        try (var stream = agent.stream(method, "/tasks/" + task + ":subscribe", "")) {
            JsonNode only = stream.next();
            assertThat(stream.status).isIn(status, 200);
            assertThat(only.at("/error/code").asInt()).as(only.toString()).isEqualTo(status);
            assertThat(only.at("/error/details/0/reason").asText()).isEqualTo(reason);
            assertThat(stream.rest()).isEmpty();
        }
    }

    private static void checkOrder(List<JsonNode> events) {
        assertThat(events).allSatisfy(event -> assertThat(event).hasSize(1));
        List<String> words = events.stream()
                .map(event -> event.at("/artifactUpdate/artifact/parts/0/text").asText())
                .filter(word -> !word.isEmpty())
                .toList();
        assertThat(String.join("", words)).isEqualTo("a\nb\n");
    }

    private static void checkTask(JsonNode task) {
        assertThat(task.path("id").asText()).as(task.toString()).isNotEmpty();
        assertThat(task.at("/status/state").asText()).isIn(STATES);
        if (task.path("status").has("timestamp")) {
            assertThat(task.at("/status/timestamp").asText()).matches(TIME);
        }
        if (task.path("status").has("message")) {
            checkMessage(task.at("/status/message"));
        }
        task.path("history").forEach(KeepingToTheSpecificationIT::checkMessage);
        task.path("artifacts").forEach(artifact -> {
            assertThat(artifact.path("artifactId").asText()).isNotEmpty();
            checkParts(artifact.path("parts"));
        });
    }

    private static void checkMessage(JsonNode message) {
        assertThat(message.path("messageId").asText()).isNotEmpty();
        assertThat(message.path("role").asText()).isIn("ROLE_USER", "ROLE_AGENT");
        checkParts(message.path("parts"));
    }

    private static void checkParts(JsonNode parts) {
        assertThat(parts)
                .isNotEmpty()
                .allSatisfy(part -> assertThat(CONTENTS.stream().filter(part::has))
                        .as(part.toString())
                        .hasSize(1));
    }

    private static void checkNames(JsonNode node) {
        node.fieldNames().forEachRemaining(name -> assertThat(name).doesNotMatch("[a-z]+(_[a-z]+)+"));
        node.forEach(KeepingToTheSpecificationIT::checkNames);
    }
}
