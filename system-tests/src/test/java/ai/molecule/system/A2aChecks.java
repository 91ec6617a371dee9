package ai.molecule.system;

import static ai.molecule.system.A2aCaller.message;
import static ai.molecule.system.A2aCaller.object;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.system.A2aCaller.Answer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What several demands of A2A look for, and the tasks they begin. */
final class A2aChecks {

    static final Set<String> STATES = Set.of(
            "TASK_STATE_SUBMITTED",
            "TASK_STATE_WORKING",
            "TASK_STATE_COMPLETED",
            "TASK_STATE_FAILED",
            "TASK_STATE_CANCELED",
            "TASK_STATE_INPUT_REQUIRED",
            "TASK_STATE_REJECTED",
            "TASK_STATE_AUTH_REQUIRED");
    static final List<String> CONTENTS = List.of("text", "raw", "url", "data");
    static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z";
    static final String LONG = "wait 15m\nsay late";
    static final Map<String, String> ENDS = Map.of(
            "COMPLETED", "say done",
            "FAILED", "fail It broke",
            "REJECTED", "reject Not mine",
            "INPUT_REQUIRED", "ask Which one?\nsay $answer",
            "AUTH_REQUIRED", "auth Sign in at the bank\nsay thanks");

    private A2aChecks() {}

    static JsonNode card(A2aCaller agent) throws Exception {
        Answer card = agent.get("/.well-known/agent-card.json");
        assertThat(card.status()).isEqualTo(200);
        return card.body();
    }

    static JsonNode result(JsonNode event) {
        return event.path("result");
    }

    static ObjectNode atOnce(String words) {
        ObjectNode params = message(words);
        params.putObject("configuration").put("returnImmediately", true);
        return params;
    }

    /** The id of a task that works for long. */
    static String begun(A2aCaller agent, String words) throws Exception {
        return agent.rpc("SendMessage", atOnce(words))
                .body()
                .at("/result/task/id")
                .asText();
    }

    /** The id of a task that came there. */
    static String task(A2aCaller agent, String words, String state) throws Exception {
        JsonNode task = agent.rpc("SendMessage", message(words)).body().at("/result/task");
        assertThat(task.at("/status/state").asText()).as(task.toString()).isEqualTo("TASK_STATE_" + state);
        return task.path("id").asText();
    }

    static JsonNode listed(A2aCaller agent, String context, String token) throws Exception {
        return agent.rpc(
                        "ListTasks",
                        object().put("contextId", context).put("pageSize", 2).put("pageToken", token))
                .body();
    }

    static ObjectNode message03(String words) {
        ObjectNode params = object();
        ObjectNode message = params.putObject("message").put("kind", "message").put("role", "user");
        message.put("messageId", UUID.randomUUID().toString());
        message.putArray("parts").addObject().put("kind", "text").put("text", words);
        return params;
    }

    static String rpc03(String method, JsonNode params) {
        ObjectNode request = object().put("jsonrpc", "2.0").put("id", "r-1").put("method", method);
        request.set("params", params);
        return request.toString();
    }

    static JsonNode in03(A2aCaller agent, String method, JsonNode params) throws Exception {
        return agent.rpc(method, params, "A2A-Version", "0.3").body();
    }

    static void refused(Answer answer, int code, String reason) {
        JsonNode error = answer.body().path("error");
        assertThat(answer.rpcError()).as(answer.text()).isEqualTo(code);
        assertThat(error.path("message").asText()).isNotEmpty();
        assertThat(error.fieldNames()).toIterable().isSubsetOf("code", "message", "data");
        if (!reason.isEmpty()) {
            assertThat(answer.reason()).as(answer.text()).isEqualTo(reason);
            assertThat(error.at("/data/0/domain").asText()).isEqualTo("a2a-protocol.org");
        }
    }

    static void failed(Answer answer, int status, String reason) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.body().at("/error/code").asInt()).isEqualTo(status);
        assertThat(answer.reason()).as(answer.text()).isEqualTo(reason);
    }

    static void refusedStream(A2aCaller agent, String method, JsonNode params, int code) throws Exception {
        try (var stream = agent.rpcStream(method, params)) {
            var events = stream.rest();
            assertThat(events).hasSize(1);
            assertThat(events.getFirst().at("/error/code").asInt())
                    .as(events.toString())
                    .isEqualTo(code);
        }
    }

    /** As an answer, also where an agent behind the door said it on a stream. */
    static void failedStream(A2aCaller agent, String method, String task, int status, String reason) throws Exception {
        try (var stream = agent.stream(method, "/tasks/" + task + ":subscribe", "")) {
            JsonNode only = stream.next();
            assertThat(stream.status).isEqualTo(status);
            assertThat(only.at("/error/code").asInt()).as(only.toString()).isEqualTo(status);
            assertThat(only.at("/error/details/0/reason").asText()).isEqualTo(reason);
            assertThat(stream.rest()).isEmpty();
        }
    }

    static void checkOrder(List<JsonNode> events) {
        assertThat(events).allSatisfy(event -> assertThat(event).hasSize(1));
        List<String> words = events.stream()
                .map(event -> event.at("/artifactUpdate/artifact/parts/0/text").asText())
                .filter(word -> !word.isEmpty())
                .toList();
        assertThat(String.join("", words)).isEqualTo("a\nb\n");
    }

    static void checkTask(JsonNode task) {
        assertThat(task.path("id").asText()).as(task.toString()).isNotEmpty();
        assertThat(task.at("/status/state").asText()).isIn(STATES);
        if (task.path("status").has("timestamp")) {
            assertThat(task.at("/status/timestamp").asText()).matches(TIME);
        }
        if (task.path("status").has("message")) {
            checkMessage(task.at("/status/message"));
        }
        task.path("history").forEach(A2aChecks::checkMessage);
        task.path("artifacts").forEach(artifact -> {
            assertThat(artifact.path("artifactId").asText()).isNotEmpty();
            checkParts(artifact.path("parts"));
        });
    }

    static void checkMessage(JsonNode message) {
        assertThat(message.path("messageId").asText()).isNotEmpty();
        assertThat(message.path("role").asText()).isIn("ROLE_USER", "ROLE_AGENT");
        checkParts(message.path("parts"));
    }

    static void checkParts(JsonNode parts) {
        assertThat(parts)
                .isNotEmpty()
                .allSatisfy(part -> assertThat(CONTENTS.stream().filter(part::has))
                        .as(part.toString())
                        .hasSize(1));
    }

    static void checkNames(JsonNode node) {
        node.fieldNames().forEachRemaining(name -> assertThat(name).doesNotMatch("[a-z]+(_[a-z]+)+"));
        node.forEach(A2aChecks::checkNames);
    }
}
