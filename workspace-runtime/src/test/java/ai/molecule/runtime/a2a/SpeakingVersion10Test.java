package ai.molecule.runtime.a2a;

import static ai.molecule.runtime.a2a.AgentUnderTest.json;
import static ai.molecule.runtime.a2a.AgentUnderTest.params;
import static ai.molecule.runtime.a2a.AgentUnderTest.request;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client of A2A 1.0 talks to this agent over JSON-RPC. */
class SpeakingVersion10Test {

    @RegisterExtension
    private final AgentUnderTest agent = new AgentUnderTest();

    static ObjectNode message10(String id, String text) {
        ObjectNode params = JsonNodeFactory.instance.objectNode();
        ObjectNode message = params.putObject("message").put("messageId", id).put("role", "ROLE_USER");
        message.putArray("parts").addObject().put("text", text);
        return params;
    }

    private JsonNode call(String method, ObjectNode params) throws Exception {
        return json(agent.exchange(agent.post(request(method, params)).header("A2A-Version", "1.0"))
                .body());
    }

    private JsonNode result(String method, ObjectNode params) throws Exception {
        return call(method, params).path("result");
    }

    @Test
    void a_send_waits_and_answers_the_task_in_the_words_of_1_0() throws Exception {
        JsonNode task = result("SendMessage", message10("m1", "hi")).path("task");

        String id = task.path("id").asText();
        String context = task.path("contextId").asText();
        ((ObjectNode) task.path("status")).remove("timestamp");
        assertThat(task.toString())
                .isEqualTo(
                        """
                        {"id":"ID","contextId":"CTX","status":{"state":"TASK_STATE_COMPLETED"},\
                        "artifacts":[{"artifactId":"ID-answer","parts":[{"text":"done: hi"}]}],\
                        "history":[{"messageId":"m1","contextId":"CTX","taskId":"ID","role":"ROLE_USER","parts":[{"text":"hi"}]}]}""".replace("ID\"", id + "\"").replace("ID-", id + "-").replace("CTX", context));
    }

    @ParameterizedTest
    @CsvSource({
        "question, INPUT_REQUIRED, input-required, which one?",
        "sign in, AUTH_REQUIRED, auth-required, sign in at the bank",
        "reject, REJECTED, rejected, that is not for me",
        "fail, FAILED, failed, Agent error: no such thing"
    })
    void each_end_of_a_turn_is_told_in_both_versions(String task, String in10, String in03, String words)
            throws Exception {
        JsonNode told = result("SendMessage", message10("m-" + in03, task)).path("task");

        assertThat(told.at("/status/state").asText()).isEqualTo("TASK_STATE_" + in10);
        assertThat(told.at("/status/message/parts/0/text").asText()).isEqualTo(words);
        JsonNode older = agent.call("tasks/get", params("id", told.path("id").asText()));
        assertThat(older.at("/result/status/state").asText()).isEqualTo(in03);
        assertThat(result("ListTasks", params("status", "TASK_STATE_" + in10))
                        .path("totalSize")
                        .asInt())
                .isOne();
    }

    @Test
    void who_was_asked_to_sign_in_goes_on_with_a_message_and_who_was_rejected_does_not() throws Exception {
        String asked =
                result("SendMessage", message10("m1", "sign in")).at("/task/id").asText();
        String over =
                result("SendMessage", message10("m2", "reject")).at("/task/id").asText();

        assertThat(goingOn(asked, "m3").at("/result/task/status/state").asText())
                .isEqualTo("TASK_STATE_COMPLETED");
        assertThat(goingOn(over, "m4").at("/error/code").asInt()).isEqualTo(-32004);
    }

    private JsonNode goingOn(String task, String messageId) throws Exception {
        ObjectNode params = message10(messageId, "done");
        ((ObjectNode) params.path("message")).put("taskId", task);
        return call("SendMessage", params);
    }

    @Test
    void one_who_names_no_version_is_known_by_the_method() throws Exception {
        var answer = agent.call("SendMessage", message10("m1", "hi"));

        assertThat(answer.at("/result/task/status/state").asText()).isEqualTo("TASK_STATE_COMPLETED");
    }

    @Test
    void a_stream_begins_with_the_task_and_ends_with_its_last_status() throws Exception {
        try (var stream = agent.stream("SendStreamingMessage", message10("m1", "hi"))) {
            assertThat(stream.contentType).isEqualTo("text/event-stream");
            var events = stream.rest();

            assertThat(events.stream().map(each -> each.fieldNames().next()))
                    .containsExactly("task", "statusUpdate", "artifactUpdate", "statusUpdate");
            assertThat(events.getFirst().at("/task/status/state").asText()).isEqualTo("TASK_STATE_SUBMITTED");
            assertThat(events.get(2).at("/artifactUpdate/artifact/parts/0/text").asText())
                    .isEqualTo("done: hi");
            assertThat(events.getLast().at("/statusUpdate/status/state").asText())
                    .isEqualTo("TASK_STATE_COMPLETED");
            assertThat(events.getLast().at("/statusUpdate").has("final")).isFalse();
        }
    }

    @Test
    void what_returns_immediately_can_be_got_followed_and_canceled() throws Exception {
        ObjectNode params = message10("m1", "wait");
        params.putObject("configuration").put("returnImmediately", true);
        String id = result("SendMessage", params).at("/task/id").asText();
        agent.executor.waiting.await();

        assertThat(result("GetTask", params("id", id)).at("/status/state").asText())
                .isEqualTo("TASK_STATE_WORKING");
        try (var stream = agent.stream("SubscribeToTask", params("id", id))) {
            assertThat(stream.next().at("/task/id").asText()).isEqualTo(id);
            assertThat(result("CancelTask", params("id", id))
                            .at("/status/state")
                            .asText())
                    .isEqualTo("TASK_STATE_CANCELED");
            var rest = stream.rest();
            assertThat(rest.getLast().at("/statusUpdate/status/state").asText()).isEqualTo("TASK_STATE_CANCELED");
        }
        assertThat(call("CancelTask", params("id", id)).at("/error/code").asInt())
                .isEqualTo(-32002);
    }

    @Test
    void a_task_that_is_over_is_neither_followed_nor_gone_on_with_and_says_so_as_an_event() throws Exception {
        String id = result("SendMessage", message10("m1", "hi")).at("/task/id").asText();

        var refused = agent.exchange(agent.post(request("SubscribeToTask", params("id", id))));
        ObjectNode more = message10("m2", "more");
        ((ObjectNode) more.path("message")).put("taskId", id);

        assertThat(refused.statusCode()).isEqualTo(200);
        assertThat(refused.headers().firstValue("Content-Type")).contains("text/event-stream");
        assertThat(refused.body()).startsWith("data: {").endsWith("}\n\n");
        var error = json(refused.body().substring(6)).path("error");
        assertThat(error.path("code").asInt()).isEqualTo(-32004);
        assertThat(error.at("/data/0/reason").asText()).isEqualTo("UNSUPPORTED_OPERATION");
        assertThat(error.at("/data/0/domain").asText()).isEqualTo("a2a-protocol.org");
        assertThat(call("SendMessage", more).at("/error/code").asInt()).isEqualTo(-32004);
    }

    @Test
    void whoever_follows_a_question_sees_its_answer() throws Exception {
        JsonNode asked = result("SendMessage", message10("m1", "question")).path("task");
        assertThat(asked.at("/status/state").asText()).isEqualTo("TASK_STATE_INPUT_REQUIRED");
        assertThat(asked.at("/status/message/parts/0/text").asText()).isEqualTo("which one?");
        ObjectNode answer = message10("m2", "that");
        ((ObjectNode) answer.path("message")).put("taskId", asked.path("id").asText());

        try (var stream =
                agent.stream("SubscribeToTask", params("id", asked.path("id").asText()))) {
            assertThat(stream.next().at("/task/status/state").asText()).isEqualTo("TASK_STATE_INPUT_REQUIRED");
            assertThat(result("SendMessage", answer).at("/task/contextId")).isEqualTo(asked.path("contextId"));
            assertThat(stream.rest().getLast().at("/statusUpdate/status/state").asText())
                    .isEqualTo("TASK_STATE_COMPLETED");
        }
        JsonNode history =
                result("GetTask", params("id", asked.path("id").asText())).path("history");
        assertThat(history).hasSize(3);
        assertThat(history.at("/1/role").asText()).isEqualTo("ROLE_AGENT");
    }

    @Test
    void tasks_are_listed_newest_first_page_by_page_without_their_artifacts() throws Exception {
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ObjectNode each = message10("m" + i, "hi " + i);
            ((ObjectNode) each.path("message")).put("contextId", "c1");
            sent.add(result("SendMessage", each).at("/task/id").asText());
        }
        result("SendMessage", message10("other", "elsewhere"));

        List<String> seen = new ArrayList<>();
        List<String> times = new ArrayList<>();
        String token = "";
        do {
            JsonNode page = result(
                    "ListTasks", params("contextId", "c1").put("pageSize", 2).put("pageToken", token));
            assertThat(page.path("totalSize").asInt()).isEqualTo(5);
            assertThat(page.path("pageSize").asInt()).isEqualTo(2);
            page.path("tasks").forEach(task -> {
                seen.add(task.path("id").asText());
                times.add(task.at("/status/timestamp").asText());
                assertThat(task.has("artifacts")).isFalse();
            });
            assertThat(page.has("nextPageToken")).isTrue();
            token = page.path("nextPageToken").asText();
        } while (!token.isEmpty());

        assertThat(seen).containsExactlyInAnyOrderElementsOf(sent);
        assertThat(times).isSortedAccordingTo(java.util.Comparator.reverseOrder());
        assertThat(result("ListTasks", params("contextId", "c1").put("includeArtifacts", true))
                        .at("/tasks/0/artifacts/0/parts/0/text")
                        .asText())
                .startsWith("done: hi ");
        assertThat(result("ListTasks", params("status", "TASK_STATE_FAILED")).path("tasks"))
                .isEmpty();
    }

    @Test
    void another_workspace_sees_the_tasks_that_it_began_and_the_agents_own_all() throws Exception {
        for (String sender : List.of("ws-2", "ws-3")) {
            agent.exchange(agent.post(request("SendMessage", message10("m-" + sender, "hi")))
                    .header("X-Workspace-ID", sender));
        }

        assertThat(totalFor("ws-2")).isEqualTo(1);
        assertThat(totalFor("ws-4")).isZero();
        assertThat(totalFor(AgentUnderTest.WORKSPACE)).isEqualTo(2);
        assertThat(result("ListTasks", params("pageToken", ""))
                        .path("totalSize")
                        .asInt())
                .isEqualTo(2);
    }

    private int totalFor(String sender) throws Exception {
        return json(agent.exchange(agent.post(request("ListTasks", params("contextId", "")))
                                .header("X-Workspace-ID", sender))
                        .body())
                .at("/result/totalSize")
                .asInt();
    }

    @Test
    void a_task_of_one_version_is_told_in_the_other() throws Exception {
        String id = result("SendMessage", message10("m1", "hi")).at("/task/id").asText();

        JsonNode task = agent.call("tasks/get", params("id", id)).path("result");

        assertThat(task.at("/status/state").asText()).isEqualTo("completed");
        assertThat(task.at("/history/0").toString())
                .isEqualTo(
                        "{\"kind\":\"message\",\"role\":\"user\",\"messageId\":\"m1\",\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}],"
                                + "\"taskId\":\"" + id + "\",\"contextId\":" + task.path("contextId") + "}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SendMessage | {} | -32602 | message is required",
                "SendMessage | {\"message\":{\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"x\"}]}} | -32602 | message.messageId is required",
                "SendMessage | {\"message\":{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"text\":\"x\"}]}} | -32602 | message.role must be ROLE_USER or ROLE_AGENT",
                "SendMessage | {\"message\":{\"messageId\":\"m\",\"role\":1,\"parts\":[]}} | -32602 | message.parts must be a list of at least one part",
                "SendMessage | {\"message\":{\"messageId\":\"m\",\"role\":1,\"parts\":[{\"text\":\"x\",\"url\":\"y\"}]}} | -32602 | message.parts[0] must have exactly one of text, raw, url and data",
                "SendMessage | {\"message\":{\"messageId\":\"m\",\"role\":1,\"parts\":[{\"kind\":\"file\",\"file\":{}}]}} | -32602 | message.parts[0] must have exactly one of text, raw, url and data",
                "SendMessage | {\"message\":{\"messageId\":\"m\",\"role\":1,\"parts\":[{\"text\":7}]}} | -32602 | message.parts[0].text must be a string",
                "SendMessage | {\"message\":{\"messageId\":\"m\",\"role\":1,\"parts\":[{\"raw\":\"?\",\"mediaType\":\"text/plain\"}]}} | -32602 | message.parts[0].raw must be base64",
                "SendMessage | {\"message\":{\"messageId\":\"m\",\"role\":1,\"parts\":[{\"text\":\"x\"}],\"metadata\":7}} | -32602 | message.metadata must be an object",
                "SendMessage | {\"message\":{\"messageId\":\"m\",\"role\":1,\"parts\":[{\"text\":\"x\"}],\"taskId\":\"none\"}} | -32001 | task none is not known",
                "SendMessage | {\"tenant\":\"other\"} | -32602 | tenant is not this agent's",
                "GetTask | {} | -32602 | id is required",
                "GetTask | {\"id\":\"none\"} | -32001 | task none is not known",
                "GetTask | {\"id\":\"none\",\"historyLength\":-1} | -32001 | task none is not known",
                "ListTasks | {\"pageSize\":0} | -32602 | pageSize must be a number from 1 to 100",
                "ListTasks | {\"pageSize\":101} | -32602 | pageSize must be a number from 1 to 100",
                "ListTasks | {\"historyLength\":-1} | -32602 | historyLength must be a number from 0",
                "ListTasks | {\"pageToken\":\"?\"} | -32602 | pageToken is none that this agent gave",
                "ListTasks | {\"status\":\"working\"} | -32602 | status is no state that a task of this agent can have",
                "ListTasks | {\"statusTimestampAfter\":\"now\"} | -32602 | statusTimestampAfter must be a time as 2023-10-27T10:00:00Z",
                "ListTasks | {\"includeArtifacts\":1} | -32602 | includeArtifacts must be true or false",
                "CancelTask | {\"id\":\"none\"} | -32001 | task none is not known",
                "CreateTaskPushNotificationConfig | {} | -32003 | push notifications are not supported",
                "GetExtendedAgentCard | {} | -32004 | there is no extended agent card",
                "message/send | {} | -32601 | method not found: message/send",
                "Dance | {} | -32601 | method not found: Dance",
            })
    void each_mistake_is_told_by_its_code_and_field(String method, String params, int code, String why)
            throws Exception {
        JsonNode error = call(method, (ObjectNode) json(params)).path("error");

        assertThat(error.path("code").asInt()).isEqualTo(code);
        assertThat(error.path("message").asText()).isEqualTo(why);
        if (code >= -32099) {
            assertThat(error.at("/data/0/@type").asText()).isEqualTo("type.googleapis.com/google.rpc.ErrorInfo");
        }
        assertThat(agent.executor.runs).hasValue(0);
    }

    @Test
    void what_cannot_be_read_is_refused_and_text_that_comes_as_a_file_is_read() throws Exception {
        ObjectNode binary = message10("m1", "look");
        binary.withObjectProperty("message")
                .withArrayProperty("parts")
                .addObject()
                .put("raw", "dGNr")
                .put("mediaType", "application/x-unknown");
        ObjectNode text = message10("m2", "look");
        text.withObjectProperty("message")
                .withArrayProperty("parts")
                .addObject()
                .put("raw", "dGNr")
                .put("mediaType", "text/plain");

        JsonNode error = call("SendMessage", binary).path("error");

        assertThat(error.path("code").asInt()).isEqualTo(-32005);
        assertThat(error.path("message").asText()).startsWith("message.parts[1].mediaType ");
        assertThat(error.at("/data/0/reason").asText()).isEqualTo("CONTENT_TYPE_NOT_SUPPORTED");
        assertThat(result("SendMessage", text).findValue("text").asText()).isEqualTo("done: look tck");
    }

    @Test
    void a_body_that_says_it_is_no_json_is_refused_in_1_0_only() throws Exception {
        var newer = agent.post("")
                .POST(BodyPublishers.ofString(request("SendMessage", message10("m1", "hi"))))
                .setHeader("Content-Type", "text/plain");
        var older = agent.post("")
                .POST(BodyPublishers.ofString(request("message/send", AgentUnderTest.message("m2", "hi"))))
                .setHeader("Content-Type", "text/plain");

        assertThat(json(agent.exchange(newer).body()).at("/error/code").asInt()).isEqualTo(-32005);
        assertThat(json(agent.exchange(older).body()).has("result")).isTrue();
    }

    @Test
    void no_history_is_written_where_none_is_wanted() throws Exception {
        ObjectNode params = message10("m1", "hi");
        params.putObject("configuration").put("historyLength", 0);

        assertThat(result("SendMessage", params).path("task").has("history")).isFalse();
    }
}
