package ai.molecule.system;

import static ai.molecule.system.A2aCaller.id;
import static ai.molecule.system.A2aCaller.json;
import static ai.molecule.system.A2aCaller.message;
import static ai.molecule.system.A2aCaller.object;
import static ai.molecule.system.A2aChecks.ENDS;
import static ai.molecule.system.A2aChecks.LONG;
import static ai.molecule.system.A2aChecks.atOnce;
import static ai.molecule.system.A2aChecks.begun;
import static ai.molecule.system.A2aChecks.card;
import static ai.molecule.system.A2aChecks.checkOrder;
import static ai.molecule.system.A2aChecks.checkTask;
import static ai.molecule.system.A2aChecks.failed;
import static ai.molecule.system.A2aChecks.failedStream;
import static ai.molecule.system.A2aChecks.listed;
import static ai.molecule.system.A2aChecks.message03;
import static ai.molecule.system.A2aChecks.refused;
import static ai.molecule.system.A2aChecks.refusedStream;
import static ai.molecule.system.A2aChecks.result;
import static ai.molecule.system.A2aChecks.task;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.system.A2aCaller.Answer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What A2A 1.0.1 demands of its operations (section 3). */
final class A2aOperationDemands {

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

    static final List<A2aDemand> ALL = List.of(
            new A2aDemand("1.0 §3.1.1", "a send answers a task or a message", agent -> {
                checkTask(agent.rpc("SendMessage", message("say hi")).body().at("/result/task"));
                checkTask(agent.send("POST", "/message:send", message("say hi").toString())
                        .body()
                        .path("task"));
            }),
            new A2aDemand("1.0 §3.1.1", "a task that is over takes no message", agent -> {
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
            new A2aDemand(
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
            new A2aDemand("1.0 §3.1.2", "a stream begins with its task, and ends when that is over", agent -> {
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
            new A2aDemand(
                    "1.0 §3.1.2",
                    "a stream of a task that is not there is TaskNotFoundError",
                    agent -> refusedStream(agent, "SendStreamingMessage", message("x", "no-such-task"), -32001)),
            new A2aDemand(
                    "1.0 §3.1.3", "a task is got as it is, and one that is not there is TaskNotFoundError", agent -> {
                        String task = task(agent, "say hi", "COMPLETED");
                        JsonNode got = agent.rpc("GetTask", id(task)).body().path("result");
                        checkTask(got);
                        assertThat(got.at("/artifacts/0/parts/0/text").asText()).isEqualTo("hi\n");
                        assertThat(agent.send("GET", "/tasks/" + task, "").body())
                                .isEqualTo(got);
                        refused(agent.rpc("GetTask", id("no-such-task")), -32001, "TASK_NOT_FOUND");
                        failed(agent.send("GET", "/tasks/no-such-task", ""), 404, "TASK_NOT_FOUND");
                    }),
            new A2aDemand(
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
                                .allSatisfy(A2aChecks::checkTask);
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
            new A2aDemand(
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
            new A2aDemand(
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
            new A2aDemand("1.0 §3.1.6", "nobody follows what is over or not there", agent -> {
                String over = task(agent, "say hi", "COMPLETED");
                refusedStream(agent, "SubscribeToTask", id(over), -32004);
                refusedStream(agent, "SubscribeToTask", id("no-such-task"), -32001);
                failedStream(agent, "POST", over, 400, "UNSUPPORTED_OPERATION");
                failedStream(agent, "GET", over, 400, "UNSUPPORTED_OPERATION");
                failedStream(agent, "POST", "no-such-task", 404, "TASK_NOT_FOUND");
            }),
            new A2aDemand(
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
            new A2aDemand(
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
            new A2aDemand(
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
            new A2aDemand("1.0 §3.2.4", "there is no more history than was asked for", agent -> {
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
            new A2aDemand("1.0 §3.2.6", "an extension that the agent does not know is passed over", agent -> {
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
            new A2aDemand(
                    "1.0 §3.3.2", "what is wrong is said, by the field's name, before anything is done", agent -> {
                        for (var wrong : WRONG.entrySet()) {
                            Answer answer = agent.rpc("SendMessage", json(wrong.getKey()));
                            refused(answer, -32602, "");
                            assertThat(answer.text()).as(wrong.getKey()).contains(wrong.getValue());
                            Answer bare = agent.send(
                                    "POST",
                                    "/message:send",
                                    json(wrong.getKey()).toString());
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
            new A2aDemand("1.0 §3.4.1", "a context is made and told, or taken as it is given", agent -> {
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
            new A2aDemand("1.0 §3.4.2", "each task has an id of its own, and nobody else gives it", agent -> {
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
            new A2aDemand("1.0 §3.4.3", "a task's context is known by the task, and another one is refused", agent -> {
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
            new A2aDemand(
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
            new A2aDemand(
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
                    }));

    private A2aOperationDemands() {}
}
