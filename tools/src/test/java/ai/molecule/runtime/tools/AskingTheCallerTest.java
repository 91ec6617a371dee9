package ai.molecule.runtime.tools;

import static ai.molecule.runtime.tools.ScriptedPlatform.ME;
import static ai.molecule.runtime.tools.ScriptedPlatform.PEER;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.mcp.McpMethods;
import ai.molecule.runtime.mcp.McpOverHttp;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Revision 2026-07-28 of MCP: what is handed on is a task, and whoever calls is asked what a peer, or a person's decision, needs. */
class AskingTheCallerTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TASKS = "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}";
    private static final String FORM = "\"elicitation\":{}";
    private static final String PAGE = "\"elicitation\":{\"url\":{}}";
    private static final String DELEGATION = "/workspaces/" + ME + "/delegations/d-1";
    private static final String SEND = "POST /workspaces/" + PEER + "/a2a";
    private static final String HAND_ON =
            "\"name\":\"delegate_task_async\",\"arguments\":{\"workspace_id\":\"" + PEER + "\",\"task\":\"count\"},";
    private static final String ASK =
            "\"name\":\"delegate_task\",\"arguments\":{\"workspace_id\":\"" + PEER + "\",\"task\":\"paint it\"},";
    private static final String QUESTION =
            "{\"kind\":\"task\",\"id\":\"t-9\",\"contextId\":\"c\",\"status\":{\"state\":\"input-required\",\"timestamp\":\"2026-11-26T10:00:00Z\","
                    + "\"message\":{\"messageId\":\"q-1\",\"parts\":[{\"kind\":\"text\",\"text\":\"Which colour?\"}]}}}";

    private ScriptedPlatform platform;
    private McpMethods methods;

    @BeforeEach
    void start() throws IOException {
        platform = new ScriptedPlatform();
        platform.on("POST /workspaces/" + ME + "/activity", 200, "{}")
                .on(
                        "POST /workspaces/" + ME + "/delegate",
                        202,
                        "{\"delegation_id\":\"d-1\",\"status\":\"delegated\",\"target_id\":\"" + PEER + "\"}");
        methods = methods("secret");
    }

    private McpMethods methods(String secret) {
        var toolbox = new Toolbox(new Workspaces(List.of(platform.workspace(ME))), Optional.empty());
        return McpMethods.atThePlatform(
                toolbox, Tools.AT_THE_PLATFORM, List.of(Approving.COMING_AGAIN), secret, "http://here/");
    }

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void work_that_is_handed_on_is_a_task_for_who_knows_tasks_and_words_for_any_other() throws Exception {
        delegation("dispatched", "");

        JsonNode task = result(post("tools/call", "delegate_task_async", HAND_ON, TASKS));
        JsonNode words = result(post("tools/call", "delegate_task_async", HAND_ON, FORM));

        assertThat(task.path("resultType").asText()).isEqualTo("task");
        assertThat(task.path("taskId").asText()).isEqualTo("d-1");
        assertThat(task.path("status").asText()).isEqualTo("working");
        assertThat(task.path("createdAt").asText()).isEqualTo("2026-11-26T10:00:00Z");
        assertThat(task.path("ttlMs").asLong()).isPositive();
        assertThat(task.has("content")).isFalse();
        assertThat(words.path("resultType").asText()).isEqualTo("complete");
        assertThat(words.at("/content/0/text").asText()).contains("\"delegation_id\":\"d-1\"");
        assertThat(result(post("server/discover", "", "", "")).at("/capabilities/extensions"))
                .hasToString("{\"io.modelcontextprotocol/tasks\":{}}");
    }

    @Test
    void a_task_is_told_as_the_platform_keeps_it() throws Exception {
        delegation("completed", ",\"text\":\"seven\"");
        JsonNode done = result(get());
        assertThat(done.path("resultType").asText()).isEqualTo("complete");
        assertThat(done.path("status").asText()).isEqualTo("completed");
        assertThat(done.path("result"))
                .hasToString("{\"content\":[{\"type\":\"text\",\"text\":\"seven\"}],\"isError\":false}");

        delegation("failed", ",\"error\":\"out of ink\"");
        JsonNode failed = result(get());
        assertThat(failed.path("status").asText())
                .as("no error of the protocol")
                .isEqualTo("completed");
        assertThat(failed.at("/result/isError").asBoolean()).isTrue();
        assertThat(failed.at("/result/content/0/text").asText()).endsWith("out of ink");
    }

    @Test
    void what_a_task_asks_is_answered_by_its_caller_and_passed_on() throws Exception {
        delegation("dispatched", ",\"task_id\":\"t-9\",\"asks\":true");
        platform.on("GET /workspaces/" + PEER + "/a2a/tasks/t-9", 200, QUESTION)
                .on(SEND, 504, "{\"error\":\"agent still working\",\"delivered\":true}");

        assertThat(result(get()).path("status").asText())
                .as("for who cannot be asked")
                .isEqualTo("working");
        JsonNode asks = result(post("tasks/get", "d-1", "\"taskId\":\"d-1\",", TASKS + "," + FORM));

        assertThat(asks.path("status").asText()).isEqualTo("input_required");
        String key = asks.path("inputRequests").fieldNames().next();
        assertThat(asks.path("inputRequests").path(key).at("/params/message").asText())
                .isEqualTo("Which colour?");
        JsonNode taken = result(post(
                "tasks/update",
                "d-1",
                "\"taskId\":\"d-1\",\"inputResponses\":{\"else\":{},\"" + key
                        + "\":{\"action\":\"accept\",\"content\":{\"answer\":\"red\"}}},",
                TASKS));
        assertThat(taken.fieldNames()).toIterable().containsExactly("resultType", "_meta");
        JsonNode said = platform.only(SEND).json().at("/params/message");
        assertThat(said.path("taskId").asText()).isEqualTo("t-9");
        assertThat(said.at("/parts/0/text").asText()).isEqualTo("red");
    }

    @Test
    void a_task_is_cancelled_with_what_its_peer_has_begun() throws Exception {
        delegation("dispatched", "");
        platform.on("POST " + DELEGATION + "/update", 200, "{}")
                .on(
                        SEND,
                        200,
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t-9\",\"status\":{\"state\":\"working\"}}}");

        assertThat(result(post("tasks/cancel", "d-1", "\"taskId\":\"d-1\",", TASKS))
                        .path("resultType")
                        .asText())
                .isEqualTo("complete");

        String why = platform.only("POST " + DELEGATION + "/update")
                .json()
                .path("error")
                .asText();
        assertThat(platform.requests(SEND))
                .extracting(sent -> sent.json().path("method").asText())
                .containsExactly("molecule/tasks/byMessage", "tasks/cancel");
        delegation("failed", ",\"error\":\"" + why + "\"");
        assertThat(result(get()).path("status").asText()).isEqualTo("cancelled");
    }

    @Test
    void a_task_needs_a_client_that_knows_them_and_an_id_that_is_there() throws Exception {
        var undeclared = post("tasks/get", "d-1", "\"taskId\":\"d-1\",", "");
        assertThat(undeclared.status()).isEqualTo(400);
        assertThat(undeclared.body().orElseThrow().path("error"))
                .hasToString(
                        "{\"code\":-32021,\"message\":\"Missing required client capability\",\"data\":{\"requiredCapabilities\":{"
                                + TASKS + "}}}");
        for (String id : List.of("nowhere", "../secrets")) {
            for (String method : List.of("tasks/get", "tasks/cancel")) {
                assertThat(code(post(method, id, "\"taskId\":\"" + id + "\",", TASKS)))
                        .isEqualTo(-32602);
            }
        }
        assertThat(code(post("tasks/get", "other", "\"taskId\":\"d-1\",", TASKS)))
                .as("its header names another")
                .isEqualTo(-32020);
    }

    @Test
    void a_peers_question_is_its_callers_and_the_peer_goes_on_with_the_answer() throws Exception {
        platform.on(SEND, 200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + QUESTION + "}");
        JsonNode asks = result(post("tools/call", "delegate_task", ASK, FORM));
        assertThat(asks.path("resultType").asText()).isEqualTo("input_required");
        assertThat(asks.has("content")).isFalse();
        String key = asks.path("inputRequests").fieldNames().next();
        assertThat(asks.path("inputRequests").path(key).at("/params/message").asText())
                .endsWith("asks: Which colour?");
        String state = ",\"requestState\":" + asks.path("requestState");

        assertThat(result(post("tools/call", "delegate_task", ASK + rest("{}", state), FORM))
                        .path("inputRequests"))
                .as("nothing was said")
                .isEqualTo(asks.path("inputRequests"));
        platform.on(
                SEND,
                200,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"parts\":[{\"kind\":\"text\",\"text\":\"painted\"}]}}");
        String answer = "{\"" + key + "\":{\"action\":\"accept\",\"content\":{\"answer\":\"red\"}}}";
        JsonNode done = result(post("tools/call", "delegate_task", ASK + rest(answer, state), FORM));

        assertThat(done.at("/content/0/text").asText()).isEqualTo("painted");
        JsonNode said = platform.requests(SEND).getLast().json().at("/params/message");
        assertThat(said.path("taskId").asText()).isEqualTo("t-9");
        assertThat(said.at("/parts/0/text").asText()).isEqualTo("red");
        assertThat(platform.requests(SEND)).hasSize(2);
    }

    @Test
    void who_cannot_be_asked_reads_the_question_and_how_to_answer_it() throws Exception {
        platform.on(SEND, 200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + QUESTION + "}");

        for (String capabilities : List.of("", PAGE, TASKS)) {
            assertThat(result(post("tools/call", "delegate_task", ASK, capabilities))
                            .at("/content/0/text")
                            .asText())
                    .contains("asks: Which colour?\n", "task_id \"t-9\"");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"x\"", "\"\"", "7", "\"e30.AAAA\"", "another key"})
    void a_state_that_was_not_given_to_this_caller_for_this_is_refused(String state) throws Exception {
        platform.on(SEND, 200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + QUESTION + "}");
        String given = state;
        if (state.equals("another key")) {
            methods = methods("of somebody else");
            given = result(post("tools/call", "delegate_task", ASK, FORM))
                    .path("requestState")
                    .toString();
            methods = methods("secret");
        }
        int before = platform.requests(SEND).size();

        assertThat(code(post("tools/call", "delegate_task", ASK + rest("{}", ",\"requestState\":" + given), FORM)))
                .isEqualTo(-32602);
        assertThat(platform.requests(SEND)).hasSize(before);
    }

    @Test
    void a_decision_is_made_at_the_platform_and_come_back_for() throws Exception {
        String approvals = "GET /workspaces/" + ME + "/approvals";
        platform.on("POST /workspaces/" + ME + "/approvals", 201, "{\"approval_id\":\"a-1\",\"status\":\"pending\"}")
                .on(approvals, 200, "[{\"id\":\"a-1\",\"status\":\"pending\"}]");
        String call = "\"name\":\"request_approval\",\"arguments\":{\"action\":\"Send it\"},";

        JsonNode asks = result(post("tools/call", "request_approval", call, PAGE));

        assertThat(asks.path("resultType").asText()).isEqualTo("input_required");
        JsonNode request = asks.path("inputRequests").iterator().next();
        assertThat(request.at("/params/mode").asText()).isEqualTo("url");
        assertThat(request.at("/params/url").asText()).isEqualTo("http://here/");
        platform.on(approvals, 200, "[{\"id\":\"a-1\",\"status\":\"approved\",\"decided_by\":\"Ann\"}]");
        JsonNode done = result(post(
                "tools/call",
                "request_approval",
                call + rest("{}", ",\"requestState\":" + asks.path("requestState")),
                ""));
        assertThat(done.at("/content/0/text").asText()).isEqualTo("approved by Ann");
        assertThat(platform.requests("POST /workspaces/" + ME + "/approvals")).hasSize(1);
    }

    @Test
    void a_decision_is_found_that_the_list_of_approvals_does_not_show_any_more() throws Exception {
        String approvals = "GET /workspaces/" + ME + "/approvals";
        platform.on("POST /workspaces/" + ME + "/approvals", 201, "{\"approval_id\":\"a-1\",\"status\":\"pending\"}")
                .on(approvals, 200, "[]")
                .on(approvals + "/a-1", 200, "{\"id\":\"a-1\",\"status\":\"approved\",\"decided_by\":\"Ann\"}");

        JsonNode done = result(post(
                "tools/call",
                "request_approval",
                "\"name\":\"request_approval\",\"arguments\":{\"action\":\"Send it\"},",
                FORM));

        assertThat(done.at("/content/0/text").asText()).isEqualTo("approved by Ann");
    }

    @Test
    void an_older_client_is_not_offered_what_it_would_have_to_come_again_for() throws Exception {
        var list = JSON.readTree("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");

        assertThat(result(McpOverHttp.reply(methods, list, name -> null)).toString())
                .doesNotContain("request_approval");
        assertThat(result(post("tools/list", "", "", "")).toString()).contains("request_approval");
    }

    private void delegation(String status, String more) {
        platform.on(
                "GET " + DELEGATION,
                200,
                "{\"delegation_id\":\"d-1\",\"source_id\":\"" + ME + "\",\"target_id\":\"" + PEER + "\",\"status\":\""
                        + status + "\",\"created_at\":\"2026-11-26T10:00:00Z\",\"changed_at\":\"2026-11-26T10:00:01Z\""
                        + more
                        + "}");
    }

    private McpOverHttp.Reply get() throws Exception {
        return post("tasks/get", "d-1", "\"taskId\":\"d-1\",", TASKS);
    }

    private static String rest(String responses, String state) {
        return "\"inputResponses\":" + responses + state + ",";
    }

    private McpOverHttp.Reply post(String method, String name, String params, String capabilities) throws Exception {
        ObjectNode request = (ObjectNode) JSON.readTree("""
                {"jsonrpc":"2.0","id":"r","method":"%s","params":{%s"_meta":{
                "io.modelcontextprotocol/protocolVersion":"2026-07-28",
                "io.modelcontextprotocol/clientCapabilities":{%s}}}}""".formatted(method, params, capabilities));
        return McpOverHttp.reply(
                methods,
                request,
                Map.of("MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name)::get);
    }

    private static JsonNode result(McpOverHttp.Reply reply) {
        JsonNode body = reply.body().orElseThrow();
        assertThat(body.has("error")).as(body.toString()).isFalse();
        return body.path("result");
    }

    private static int code(McpOverHttp.Reply reply) {
        return reply.body().orElseThrow().at("/error/code").asInt();
    }
}
