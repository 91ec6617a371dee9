package ai.molecule.proxy.a2a;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each version reaches an agent that offers it as it was sent; one that nobody serves is told so. */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SpeakingVersionsTest {

    private static final String SEND_10 =
            "{\"jsonrpc\":\"2.0\", \"id\":\"a\",\"method\":\"SendMessage\",\"params\":{\"message\":{\"messageId\":\"m\",\"n\":1.10}}}";
    private static final String OFFERS_10 =
            "{\"name\":\"x\",\"supportedInterfaces\":[{\"protocolVersion\":\"0.3\"},{\"protocolVersion\":\"1.0\"}]}";

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    private final Queue<String> heard = new ConcurrentLinkedQueue<>();

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
    void forget() {
        heard.clear();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0.3", "0.3.0", " 0.3 "})
    void version_0_3_is_served_without_asking_for_a_card(String version) {
        var agent = agent("no card");

        assertThat(seen(proxy.send(agent, HELLO, "A2A-Version", version))).isEqualTo("200 {\"ok\":1}");
        assertThat(heard).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"jsonrpc\":\"2.0\", |  | -32700",
                "{\"a\" | 1.0 | -32700",
                "{\"a\" | 0.3 | -32700",
                "{} {} | 1.0 | -32700",
                "[] | 1.0 | -32600",
                "[{\"jsonrpc\":\"2.0\"}] |  | -32600"
            })
    void a_body_that_is_no_request_is_answered_in_json_rpc_where_its_sender_speaks_that(
            String body, @Nullable String version, int code) {
        assertThat(seen(proxy.send(agent("no card"), body, "A2A-Version", version == null ? "" : version)))
                .startsWith("400 {\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":" + code + ",");
        assertThat(heard).isEmpty();
    }

    @Test
    void a_request_of_1_0_is_one_of_json_rpc() {
        assertThat(seen(proxy.send(agent(OFFERS_10), "{\"id\":1,\"method\":\"GetTask\"}", "A2A-Version", "1.0")))
                .isEqualTo(
                        "200 {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,\"message\":\"jsonrpc must be 2.0\"}}");
        assertThat(heard).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"message\":{\"kind\":\"message\",\"role\":\"user\",\"parts\":[]}} | ",
                "{\"message\":{\"role\":\"user\",\"messageId\":null},\"configuration\":{}} | ",
                "{\"message\":{\"role\":\"user\"}} | 0.3"
            })
    void whoever_shows_the_published_protocol_says_which_message_it_is(String params, @Nullable String version) {
        String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":" + params + "}";

        assertThat(seen(proxy.send(agent("no card"), body, "A2A-Version", version == null ? "" : version)))
                .isEqualTo(
                        "200 {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"message.messageId is required\"}}");
        assertThat(heard).isEmpty();
    }

    @Test
    void for_any_other_it_is_made() {
        String body =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"message\":{\"role\":\"user\",\"parts\":[]}}}";

        assertThat(seen(proxy.send(agent("no card"), body))).isEqualTo("200 {\"ok\":1}");
        assertThat(heard.element()).contains("\"messageId\":\"");
    }

    @Test
    void version_1_0_passes_unchanged_to_an_agent_that_offers_it() {
        var agent = agent(OFFERS_10);

        assertThat(seen(proxy.send(agent, SEND_10, "A2A-Version", "1.0"))).isEqualTo("200 {\"ok\":1}");
        assertThat(seen(proxy.post("/workspaces/" + agent + "/a2a?A2A-Version=1.0", SEND_10)))
                .isEqualTo("200 {\"ok\":1}");
        assertThat(seen(proxy.send(agent, SEND_10))).isEqualTo("200 {\"ok\":1}");

        assertThat(heard).containsExactly("card", "1.0 " + SEND_10, "1.0 " + SEND_10, "null " + SEND_10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"protocolVersion\":\"0.3.0\"}", "not json", "{\"supportedInterfaces\":7}"})
    void version_1_0_to_any_other_agent_is_told_in_0_3(String card) {
        var agent = agent(card);

        assertThat(seen(proxy.send(agent, SEND_10))).contains("\"code\":-32602", "message.role is required");
        assertThat(seen(proxy.send(agent, HELLO, "A2A-Version", "1.0"))).contains("-32601");
        assertThat(heard).containsExactly("card");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.2", "2.0", "1", "nonsense \"quoted\""})
    void a_version_nobody_serves_is_refused_and_not_repeated_unless_it_is_one(String version) {
        var agent = agent(OFFERS_10);

        var answer = seen(proxy.send(agent, HELLO, "A2A-Version", version));

        assertThat(answer)
                .contains("\"code\":-32009", "is not supported, 0.3 and 1.0 are")
                .doesNotContain("nonsense");
        assertThat(heard).isEmpty();
    }

    @Test
    void whoever_may_not_talk_to_the_agent_does_not_learn_its_versions() {
        var agent = agent(OFFERS_10);

        assertThat(seen(proxy.send(
                        agent, SEND_10, "X-Workspace-ID", UUID.randomUUID().toString())))
                .startsWith("403 ");
        assertThat(heard).isEmpty();
    }

    @Test
    void an_agent_whose_card_cannot_be_asked_for_is_not_reached() {
        var gone = proxy.platform.workspaceAt("http://127.0.0.1:" + TestStores.freePort());

        assertThat(seen(proxy.send(gone, SEND_10))).isEqualTo("502 {\"error\":\"failed to reach workspace agent\"}");
    }

    @Test
    void a_stream_of_1_0_is_journalled_and_resumed_like_any_other() {
        var agent = agent(OFFERS_10);
        String request = SEND_10.replace("SendMessage", "SendStreamingMessage");
        String first = read(agent, request).end.join();
        String begin = first.substring("id: ".length(), first.indexOf('\n')).replaceAll("-1$", "-0");

        assertThat(read(agent, request, "Last-Event-ID", begin).end.join()).isEqualTo(first);
        assertThat(heard.stream().filter(body -> body.contains("Streaming"))).hasSize(1);
        assertThat(seen(proxy.client
                        .get("/workspaces/" + agent + "/a2a/tasks/t-9")
                        .send()
                        .await()))
                .isEqualTo("200 {\"id\":\"t-9\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}");
    }

    @Test
    void a_task_of_1_0_that_is_over_is_not_followed_from_the_journal_for_its_agent_refuses_it() {
        var agent = agent(OFFERS_10);
        read(agent, SEND_10.replace("SendMessage", "SendStreamingMessage").replace("\"m\"", "\"over\""))
                .end
                .join();
        await().until(() -> seen(proxy.client
                        .get("/workspaces/" + agent + "/a2a/tasks/t-10")
                        .send()
                        .await())
                .contains("TASK_STATE_COMPLETED"));
        heard.clear();
        String follow = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"SubscribeToTask\",\"params\":{\"id\":\"t-10\"}}";

        assertThat(seen(proxy.send(agent, follow, "A2A-Version", "1.0"))).isEqualTo("200 {\"ok\":1}");

        assertThat(heard).containsExactly("1.0 " + follow);
    }

    private UUID agent(String card) {
        return proxy.agent(request -> {
            if (request.method().equals(HttpMethod.GET)) {
                heard.add("card");
                json(request.response(), card);
            } else {
                request.body().onSuccess(body -> answer(request, body.toString()));
            }
        });
    }

    private void answer(HttpServerRequest request, String body) {
        heard.add(request.getHeader("A2A-Version") + " " + body);
        if (body.contains("tasks/get")) {
            json(request.response(), "{\"error\":{\"code\":-32001}}");
        } else if (body.contains("Streaming")) {
            boolean over = body.contains("\"over\"");
            request.response()
                    .putHeader("Content-Type", "text/event-stream")
                    .end("data: {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"statusUpdate\":{\"taskId\":\""
                            + (over ? "t-10" : "t-9") + "\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_"
                            + (over ? "COMPLETED" : "WORKING") + "\"}}}}\n\n");
        } else {
            json(request.response(), "{\"ok\":1}");
        }
    }

    private Reading read(UUID agent, String body, String... headers) {
        return Reading.of(vertx, HttpMethod.POST, proxy.port, "/workspaces/" + agent + "/a2a", body, headers);
    }
}
