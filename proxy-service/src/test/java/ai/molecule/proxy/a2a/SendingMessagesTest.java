package ai.molecule.proxy.a2a;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.testkit.Kept;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code POST /workspaces/:id/a2a} when all goes well: what the agent gets, what the sender gets, what is written down. */
@ExtendWith(VertxExtension.class)
class SendingMessagesTest {

    private static final String ANSWER =
            "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{\"n\":1.10,\"x\":1e400,\"metadata\":{\"tool_trace\":[{\"tool\":\"t\"}]}}}";

    private volatile String received = "";
    private volatile MultiMap headers = MultiMap.caseInsensitiveMultiMap();

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    @BeforeEach
    void start(Vertx vertx) {
        proxy = ProxyUnderTest.start(vertx);
        agent = proxy.agent(request -> request.body().onSuccess(body -> {
            received = body.toString();
            headers = request.headers();
            json(request.response().putHeader("X-Agent", "1"), ANSWER);
        }));
    }

    @Test
    void the_agents_bytes_come_back_as_bare_json_without_its_headers() {
        var response = proxy.send(agent, HELLO);

        assertThat(seen(response)).isEqualTo("200 " + ANSWER);
        assertThat(response.getHeader("Content-Type")).isEqualTo("application/json");
        assertThat(response.getHeader("X-Agent")).isNull();
    }

    @Test
    void a_complete_envelope_reaches_the_agent_byte_for_byte() {
        String body =
                " {\"jsonrpc\":\"2.0\", \"id\":12345678901234567890123, \"a\":1.10,\"a\":1e400,\n\t\"s\":\"\\u00e9\\/\",\"params\":{\"message\":{\"messageId\":\"x\"}}} ";

        proxy.send(agent, body);

        assertThat(received).isEqualTo(body);
    }

    @Test
    void a_bare_body_reaches_the_agent_in_an_envelope() {
        proxy.send(agent, HELLO);

        assertThat(received)
                .matches(
                        "\\{\"jsonrpc\":\"2.0\",\"id\":\"[0-9a-f-]{36}\",\"method\":\"message/send\",\"params\":\\{.*}}")
                .contains("\"params\":{\"message\":{\"messageId\":\"m-1\",\"role\":\"user\"");
    }

    @Test
    void the_agent_learns_for_whom_it_is_from_whom_and_the_trace_but_no_credential() {
        var caller = UUID.randomUUID();
        proxy.platform.mayTalk(caller, agent);
        String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

        proxy.send(
                agent,
                HELLO,
                "X-Workspace-ID",
                caller.toString(),
                "traceparent",
                trace,
                "A2A-Version",
                "0.3",
                "X-Request-Id",
                "r-1",
                "Authorization",
                "Bearer whatever",
                "Cookie",
                "c=1");

        assertThat(headers.get("X-Molecule-Target")).isEqualTo(agent.toString());
        assertThat(headers.get("X-Workspace-ID")).isEqualTo(caller.toString());
        assertThat(headers.get("traceparent")).isEqualTo(trace);
        assertThat(headers.get("A2A-Version")).isEqualTo("0.3");
        assertThat(headers.get("X-Request-Id")).isEqualTo("r-1");
        assertThat(headers.contains("Authorization")).isFalse();
        assertThat(headers.contains("Cookie")).isFalse();
    }

    @Test
    void the_canvas_hears_the_answer_live_before_the_row_is_told() {
        proxy.send(agent, HELLO);

        await().untilAsserted(() -> assertThat(proxy.platform.order).containsExactly("A2A_RESPONSE", "row ok"));
        var event = proxy.platform.live.getFirst();
        assertThat(event.workspaceId()).isEqualTo(agent);
        assertThat(event.payload()
                        .path("response_body")
                        .path("result")
                        .path("metadata")
                        .path("tool_trace")
                        .size())
                .isEqualTo(1);
        assertThat(event.payload().path("method").textValue()).isEqualTo("message/send");
        assertThat(event.payload().path("duration_ms").intValue()).isPositive();
    }

    /** What the page does with its request is the order that counts: the last byte first, however late it is read. */
    @Test
    void the_canvas_hears_nothing_of_an_answer_that_it_has_not_got() throws Exception {
        byte[] large = ("{\"result\":\"" + "x".repeat(9 << 20) + "\"}").getBytes(StandardCharsets.UTF_8);
        var talker = proxy.agentSaying(new String(large, StandardCharsets.UTF_8));
        try (var socket = new Socket()) {
            socket.setReceiveBufferSize(64 * 1024); // or all of it would fit into the buffers on the way
            socket.connect(new InetSocketAddress("127.0.0.1", proxy.port));
            String head =
                    "POST /workspaces/%s/a2a HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n";
            socket.getOutputStream()
                    .write((head.formatted(talker, HELLO.length()) + HELLO).getBytes(StandardCharsets.UTF_8));
            await().untilAsserted(() -> assertThat(proxy.platform.rows).hasSize(1));
            assertThat(proxy.platform.order).isEmpty();

            assertThat(socket.getInputStream().readAllBytes()).hasSizeGreaterThan(large.length);
        }

        await().untilAsserted(() -> assertThat(proxy.platform.order).containsExactly("A2A_RESPONSE", "row ok"));
    }

    @Test
    void the_row_holds_the_envelope_the_answer_and_the_tool_trace() {
        proxy.send(agent, HELLO);

        await().untilAsserted(() -> assertThat(proxy.platform.rows).hasSize(1));
        var row = proxy.platform.rows.getFirst();
        assertThat(row.workspaceId()).isEqualTo(agent);
        assertThat(row.targetId()).isEqualTo(agent);
        assertThat(row.sourceId()).isNull();
        assertThat(row.activityType()).isEqualTo("a2a_receive");
        assertThat(row.method()).isEqualTo("message/send");
        assertThat(row.summary()).isEqualTo("message/send → planner");
        assertThat(row.requestBody()).isEqualTo(proxy.platform.rows.stored(received));
        assertThat(row.responseBody()).isEqualTo(proxy.platform.rows.stored(ANSWER));
        assertThat(row.toolTrace()).isEqualTo("[{\"tool\":\"t\"}]");
        assertThat(row.status()).isEqualTo("ok");
        assertThat(row.errorDetail()).isNull();
        assertThat(row.durationMs()).isPositive();
    }

    @Test
    void an_agents_message_goes_to_no_canvas_but_marks_the_agent_as_having_sent() {
        var caller = UUID.randomUUID();
        proxy.platform.mayTalk(caller, agent);

        proxy.send(agent, HELLO, "X-Workspace-ID", caller.toString());

        await().untilAsserted(() -> assertThat(proxy.platform.outbound).containsExactly(caller));
        assertThat(proxy.platform.rows.getFirst().sourceId()).isEqualTo(caller);
        assertThat(proxy.platform.live).isEmpty();
    }

    @Test
    void an_answer_that_is_no_json_comes_back_but_is_not_shown_live() {
        var talker = proxy.agentSaying("plain words");

        assertThat(seen(proxy.send(talker, HELLO))).isEqualTo("200 plain words");

        await().untilAsserted(() -> assertThat(proxy.platform.rows).hasSize(1));
        assertThat(proxy.platform.rows.getFirst().responseBody()).isNull();
        assertThat(proxy.platform.live).isEmpty();
    }

    @Test
    void a_json_rpc_error_under_200_is_an_answer() {
        String error = "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"no such task\"}}";

        assertThat(seen(proxy.send(proxy.agentSaying(error), HELLO))).isEqualTo("200 " + error);
    }

    @Test
    void a_sender_that_leaves_does_not_stop_the_agent(Vertx vertx) {
        var reached = new CompletableFuture<HttpServerRequest>();
        var slow = proxy.agent(request -> request.body().onSuccess(body -> reached.complete(request)));
        var leaving = Kept.kept(vertx.createHttpClient());
        leaving.request(HttpMethod.POST, proxy.port, "127.0.0.1", "/workspaces/" + slow + "/a2a")
                .compose(request -> request.send(Buffer.buffer(HELLO)));
        var working = reached.join();

        leaving.close().await();
        json(working.response(), ANSWER);

        await().untilAsserted(() -> assertThat(proxy.platform.order).containsExactly("A2A_RESPONSE", "row ok"));
        assertThat(proxy.platform.rows.getFirst().responseBody()).isEqualTo(proxy.platform.rows.stored(ANSWER));
    }
}
