package ai.molecule.proxy.mcp;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.urlOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** MCP at the front door, in front of a registry that answers about memories when the test lets it. */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OfferingToolsOverMcpTest {

    private static final String LIST = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    private static final String REMEMBER =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"commit_memory\",\"arguments\":{\"content\":\"c\"}}}";

    private static final String LISTEN =
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"subscriptions/listen\",\"params\":{\"_meta\":"
                    + "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":"
                    + "{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}},\"notifications\":{\"taskIds\":[\"%s\"]}}}";
    private static final String LISTENING = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n";

    private final Queue<HttpServerRequest> asked = new ConcurrentLinkedQueue<>();
    private volatile boolean holds;

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID workspace;

    @SuppressWarnings("NullAway.Init")
    private String bearer;

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        var registry = ProxyUnderTest.serve(vertx, request -> {
            asked.add(request);
            if (!holds) {
                remembered(request);
            }
        });
        proxy = ProxyUnderTest.start(vertx, "REGISTRY_URL", urlOf(registry));
    }

    @BeforeEach
    void join() {
        holds = false;
        asked.clear();
        workspace = proxy.platform.workspaceAt("http://127.0.0.1:9");
        bearer = "Bearer " + proxy.platform.tokenOf(workspace);
    }

    @AfterEach
    void release() {
        holds = false;
        vertx.runOnContext(now ->
                asked.stream().filter(each -> !each.response().ended()).forEach(OfferingToolsOverMcpTest::remembered));
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    @Test
    void a_tool_asks_the_front_door_with_its_callers_own_token() {
        var answer = post(REMEMBER);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(body(answer).at("/result/content/0/text").asText()).contains("\"success\":true");
        assertThat(asked).hasSize(1);
        assertThat(asked.element().path()).isEqualTo("/workspaces/" + workspace + "/memories");
        assertThat(asked.element().getHeader("Authorization")).isEqualTo(bearer);
    }

    @Test
    void tools_that_need_files_or_an_inbox_of_this_machine_are_not_offered() {
        var tools = body(post(LIST)).at("/result/tools");

        assertThat(tools.findValuesAsText("name")).contains("delegate_task").doesNotContain("wait_for_message");
        assertThat(tools.toString()).doesNotContain("attachments");
        var sent = post(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"send_message_to_user\","
                        + "\"arguments\":{\"message\":\"m\",\"attachments\":[\"/etc/passwd\"]}}}");
        assertThat(body(sent).at("/result/isError").asBoolean()).isTrue();
        assertThat(asked).isEmpty();
    }

    @Test
    void a_tool_that_a_rule_refuses_says_so_and_does_nothing() {
        proxy.platform.rule(call -> call.equals(new JudgeCall(workspace, null, "tools/call", "commit_memory"))
                ? List.of(new JudgeCall.Verdict("frozen", "Lead", true, "ask Kim"))
                : List.of());
        try {
            await().untilAsserted(
                            () -> assertThat(body(post(REMEMBER)).at("/result").toString())
                                    .isEqualTo(
                                            "{\"content\":[{\"type\":\"text\",\"text\":\"Error: the policy rule frozen of Lead refuses this: ask Kim\"}],\"isError\":true}"));
            asked.clear();
            var together = Json.stored(proxy.post(
                            path(),
                            "[%s,%s]".formatted(REMEMBER, LIST),
                            "Authorization",
                            bearer,
                            "MCP-Protocol-Version",
                            "2025-03-26")
                    .bodyAsString());

            assertThat(together.at("/0/result/isError").asBoolean()).isTrue();
            assertThat(together.at("/1/result/tools")).isNotEmpty();
            assertThat(asked).isEmpty();
        } finally {
            proxy.platform.rule(null);
        }
    }

    @Test
    void nobody_else_speaks_for_a_workspace() {
        String other = "Bearer " + proxy.platform.tokenOf(proxy.platform.workspaceAt("http://127.0.0.1:9"));

        assertThat(proxy.post(path(), LIST).statusCode()).isEqualTo(401);
        assertThat(proxy.post(path(), LIST, "Authorization", other).statusCode())
                .isEqualTo(401);
        proxy.platform.suspend(workspace);
        assertThat(post(LIST).statusCode()).isEqualTo(403);
    }

    @Test
    void what_is_no_message_is_refused_and_what_has_no_answer_accepted() {
        assertThat(List.of(
                        post("{").statusCode(),
                        post("[]").statusCode(),
                        post("{}").statusCode(),
                        post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
                                .statusCode()))
                .containsExactly(400, 400, 400, 202);
        assertThat(List.of(
                        proxy.client.get(path()).send().await().statusCode(),
                        proxy.client.delete(path()).send().await().statusCode()))
                .containsExactly(405, 405);
    }

    @Test
    void who_asks_for_too_much_at_once_is_told_so_and_who_leaves_makes_room() throws Exception {
        holds = true;
        List<Socket> callers = new ArrayList<>();
        try {
            for (int i = 0; i < McpRoutes.AT_ONCE_OF_ONE_MAX; i++) {
                callers.add(calling());
            }
            await().until(() -> asked.size() == McpRoutes.AT_ONCE_OF_ONE_MAX);

            var refused = post(LIST);

            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.getHeader("Retry-After")).isEqualTo("1");
        } finally {
            for (var caller : callers) {
                caller.close();
            }
        }
        await().until(() -> post(LIST).statusCode() == 200);
    }

    @Test
    void who_subscribes_hears_how_its_work_stands_and_leaves_room_for_calls() throws Exception {
        UUID silent = proxy.agent(request -> {});
        proxy.platform.mayTalk(workspace, silent);
        var handedOn = proxy.post(
                "/workspaces/" + workspace + "/delegate",
                "{\"target_id\":\"%s\",\"task\":\"t\"}".formatted(silent),
                "Authorization",
                bearer);
        String listen = LISTEN.formatted(body(handedOn).path("delegation_id").asText());
        List<Socket> listeners = new ArrayList<>();
        try {
            for (int i = 0; i < McpRoutes.SUBSCRIBED_OF_ONE_MAX; i++) {
                listeners.add(sending(listen, LISTENING));
            }
            for (var listener : listeners) {
                assertThat(heard(listener, "\"working\"")).contains("text/event-stream", "notifications/tasks");
            }

            try (var oneMore = sending(listen, LISTENING)) {
                assertThat(heard(oneMore, "retry_after")).startsWith("HTTP/1.1 429");
            }
            assertThat(post(LIST).statusCode()).isEqualTo(200);
        } finally {
            for (var listener : listeners) {
                listener.close();
            }
        }
        await().until(() -> {
            try (var again = sending(listen, LISTENING)) {
                return heard(again, "\r\n\r\n").startsWith("HTTP/1.1 200");
            }
        });
    }

    /** What came until these words did. */
    private static String heard(Socket socket, String words) throws Exception {
        socket.setSoTimeout((int) Waits.PATIENCE.toMillis());
        var said = new StringBuilder();
        while (said.indexOf(words) < 0) {
            try {
                int next = socket.getInputStream().read();
                assertThat(next).as(said.toString()).isNotNegative();
                said.append((char) next);
            } catch (SocketTimeoutException silence) {
                throw new AssertionError(said.toString(), silence);
            }
        }
        return said.toString();
    }

    /** A client that does not wait for its answer. */
    private Socket calling() throws Exception {
        return sending(REMEMBER, "");
    }

    private Socket sending(String message, String headers) throws Exception {
        var socket = new Socket("127.0.0.1", proxy.port);
        String head = "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: %s\r\n%sContent-Length: %d\r\n\r\n"
                .formatted(path(), proxy.port, bearer, headers, message.length());
        socket.getOutputStream().write((head + message).getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
        return socket;
    }

    private static void remembered(HttpServerRequest request) {
        json(request.response(), "{\"id\":\"m-1\",\"scope\":\"LOCAL\"}");
    }

    private HttpResponse<Buffer> post(String message) {
        return proxy.post(path(), message, "Authorization", bearer);
    }

    private String path() {
        return "/workspaces/" + workspace + "/mcp";
    }

    private static JsonNode body(HttpResponse<Buffer> answer) {
        return Json.stored(answer.bodyAsString());
    }
}
