package ai.molecule.proxy.a2a;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.hints.DrainQueue;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.Reading;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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

/** A caller of one version of A2A and an agent that speaks only the other get along, and neither knows. */
@ExtendWith(VertxExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BridgingVersionsTest {

    private static final String SEND_10 =
            "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"SendMessage\",\"params\":{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_USER\","
                    + "\"parts\":[{\"text\":\"hi\"},{\"url\":\"http://x/y\",\"filename\":\"y\",\"mediaType\":\"text/plain\"}]},"
                    + "\"configuration\":{\"historyLength\":1}}}";
    private static final String SEND_03 =
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"message/send\",\"params\":{\"message\":{\"kind\":\"message\",\"messageId\":\"m\","
                    + "\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"},{\"kind\":\"data\",\"data\":{\"n\":1.10}}]},"
                    + "\"configuration\":{\"blocking\":false}}}";

    /** As an agent of 0.3 tells it; only names and wrappers are other in 1.0. */
    private static final List<String> STREAM_03 = List.of(
            "{\"kind\":\"status-update\",\"taskId\":\"t-1\",\"contextId\":\"c\",\"status\":{\"state\":\"working\"},\"final\":false}",
            "{\"kind\":\"artifact-update\",\"taskId\":\"t-1\",\"contextId\":\"c\",\"artifact\":{\"artifactId\":\"x\",\"parts\":[{\"kind\":\"text\",\"text\":\"one\"}]},\"append\":false}",
            "{\"kind\":\"status-update\",\"taskId\":\"t-1\",\"contextId\":\"c\",\"status\":{\"state\":\"completed\"},\"final\":true}");

    private static final List<String> STREAM_10 = List.of(
            "{\"statusUpdate\":{\"taskId\":\"t-1\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}",
            "{\"artifactUpdate\":{\"taskId\":\"t-1\",\"contextId\":\"c\",\"artifact\":{\"artifactId\":\"x\",\"parts\":[{\"text\":\"one\"}]},\"append\":false}}",
            "{\"statusUpdate\":{\"taskId\":\"t-1\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"}}}");

    private static final String TASK_10 =
            "{\"id\":\"t-1\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"},\"artifacts\":[{\"artifactId\":\"x\",\"parts\":[{\"text\":\"one\"}]}]}";
    private static final String TASK_03 =
            "{\"kind\":\"task\",\"id\":\"t-1\",\"contextId\":\"c\",\"status\":{\"state\":\"completed\"},\"artifacts\":[{\"artifactId\":\"x\",\"parts\":[{\"kind\":\"text\",\"text\":\"one\"}]}]}";

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    private record Seen(String version, JsonNode body) {}

    private final Queue<Seen> requests = new ConcurrentLinkedQueue<>();
    private volatile boolean refuses;
    private volatile boolean busy;

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        proxy = ProxyUnderTest.start(
                vertx,
                config -> with(config, "journal", with(config.journal(), Map.of("tick", Duration.ofMillis(200)))));
    }

    @AfterAll
    void stop() {
        vertx.close().await();
    }

    @BeforeEach
    void forget() {
        requests.clear();
        refuses = false;
        busy = false;
    }

    @Test
    void a_message_of_1_0_reaches_an_agent_of_0_3_and_its_task_comes_back_in_1_0() {
        var agent = agentOf03();

        assertThat(seen(proxy.send(agent, SEND_10, "A2A-Version", "1.0", "A2A-Extensions", "urn:x")))
                .isEqualTo("200 {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"task\":" + TASK_10 + "}}");

        var got = requests.element();
        assertThat(got.version).isEqualTo("0.3 null urn:x");
        assertThat(got.body.toString())
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"message/send\",\"params\":{\"message\":{\"kind\":\"message\","
                                + "\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"},{\"kind\":\"file\",\"file\":"
                                + "{\"uri\":\"http://x/y\",\"name\":\"y\",\"mimeType\":\"text/plain\"}}]},\"configuration\":{\"historyLength\":1,\"blocking\":true}}}");
    }

    @Test
    void a_message_of_0_3_reaches_an_agent_of_1_0_alone_and_its_task_comes_back_in_0_3() {
        var agent = agentOf10();

        assertThat(seen(proxy.send(agent, SEND_03)))
                .isEqualTo("200 {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":" + TASK_03 + "}");

        var got = requests.element();
        assertThat(got.version).startsWith("1.0 ");
        assertThat(got.body.toString())
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"SendMessage\",\"params\":{\"message\":{\"messageId\":\"m\","
                                + "\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"hi\"},{\"data\":{\"n\":1.10}}]},\"configuration\":{\"returnImmediately\":true}}}");
    }

    @Test
    void the_oldest_clients_read_a_message_also_of_an_agent_of_1_0() {
        var answer = Json.stored(proxy.send(agentOf10(), ProxyUnderTest.HELLO).bodyAsString());

        assertThat(answer.path("result").path("kind").asText()).isEqualTo("message");
        assertThat(answer.path("result").path("parts").path(0).path("text").asText())
                .isEqualTo("one");
        assertThat(answer.path("result").path("taskId").asText()).isEqualTo("t-1");
        assertThat(requests.element()
                        .body
                        .path("params")
                        .path("message")
                        .path("messageId")
                        .asText())
                .isEqualTo("m-1");
    }

    @Test
    void a_stream_of_0_3_is_read_in_1_0_and_begins_with_its_task() {
        var agent = agentOf03();

        var read = read(agent, streaming(SEND_10), "A2A-Version", "1.0").end.join();

        assertThat(results(read))
                .startsWith(
                        "{\"task\":{\"id\":\"t-1\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_WORKING\"}}}")
                .endsWith(STREAM_10.toArray(String[]::new))
                .hasSize(4);
        assertThat(idsOf(read)).hasSize(3);
        assertThat(requests.element().body.path("method").asText()).isEqualTo("message/stream");
    }

    @Test
    void a_stream_of_1_0_is_read_in_0_3_and_says_which_event_is_the_last() {
        var agent = agentOf10();

        var read = read(agent, streaming(SEND_03)).end.join();

        assertThat(results(read)).isEqualTo(STREAM_03);
        assertThat(requests.element().body.path("method").asText()).isEqualTo("SendStreamingMessage");
    }

    @Test
    void whoever_comes_back_to_a_stream_reads_it_in_its_own_version() {
        var agent = agentOf03();
        var ids = idsOf(read(agent, streaming(SEND_10)).end.join());

        var in10 = read(agent, streaming(SEND_10), "Last-Event-ID", ids.getFirst())
                .end
                .join();
        var in03 = read(agent, streaming(SEND_03), "Last-Event-ID", ids.getFirst())
                .end
                .join();

        assertThat(results(in10)).isEqualTo(STREAM_10.subList(1, 3));
        assertThat(results(in03)).isEqualTo(STREAM_03.subList(1, 3));
        assertThat(idsOf(in10)).isEqualTo(ids.subList(1, 3)).isEqualTo(idsOf(in03));
        assertThat(requests).hasSize(1);
    }

    @Test
    void a_task_that_is_over_is_not_followed_in_1_0_whatever_its_agent_would_do() {
        var agent = agentOf03();
        read(agent, streaming(SEND_10)).end.join();
        String follow = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"SubscribeToTask\",\"params\":{\"id\":\"t-1\"}}";

        await().untilAsserted(() -> assertThat(
                        read(agent, follow, "A2A-Version", "1.0").end.join())
                .startsWith("data: {\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32004,")
                .contains("\"reason\":\"UNSUPPORTED_OPERATION\""));
    }

    @Test
    void a_task_is_asked_for_canceled_and_told_by_the_journal_in_the_callers_version() {
        var agent = agentOf03();
        String get =
                "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"GetTask\",\"params\":{\"id\":\"t-1\",\"historyLength\":0}}";
        read(agent, streaming(SEND_10)).end.join();
        requests.clear();

        assertThat(seen(proxy.send(agent, get)))
                .isEqualTo("200 {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":" + TASK_10 + "}");
        assertThat(seen(proxy.send(agent, get.replace("GetTask", "CancelTask"))))
                .contains("\"result\":" + TASK_10);
        assertThat(requests)
                .extracting(request -> request.body.path("method").asText())
                .containsExactly("tasks/get", "tasks/cancel");

        refuses = true;
        await().untilAsserted(
                        () -> assertThat(seen(proxy.send(agent, get)))
                                .isEqualTo(
                                        "200 {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"id\":\"t-1\",\"contextId\":\"c\",\"status\":{\"state\":\"TASK_STATE_COMPLETED\"}}}"));
    }

    @Test
    void an_agents_error_is_told_in_the_callers_version_and_on_a_stream_of_1_0_as_its_one_event() {
        refuses = true;
        String error = "\"error\":{\"code\":-32001,\"message\":\"Task not found\"";
        String details =
                ",\"data\":[{\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":\"TASK_NOT_FOUND\",\"domain\":\"a2a-protocol.org\"}]}}";

        assertThat(seen(proxy.send(agentOf03(), SEND_10)))
                .isEqualTo("200 {\"jsonrpc\":\"2.0\",\"id\":\"a\"," + error + details);
        assertThat(read(agentOf03(), streaming(SEND_10)).end.join())
                .isEqualTo("data: {\"jsonrpc\":\"2.0\",\"id\":\"a\"," + error + details + "\n\n");
        assertThat(seen(proxy.send(agentOf10(), SEND_03)))
                .isEqualTo("200 {\"jsonrpc\":\"2.0\",\"id\":7," + error + "}}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SendMessage | {\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"a\",\"url\":\"b\"}]}} | -32602 | message.parts[0]",
                "SendMessage | {\"message\":{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"text\":\"a\"}]}} | -32602 | message.role",
                "SendMessage | {\"message\":{\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"a\"}]}} | -32602 | message.messageId",
                "SendMessage | {\"message\":{\"messageId\":\"m\",\"role\":1,\"parts\":[]}} | -32602 | message.parts",
                "SendMessage | {\"tenant\":\"else\",\"message\":{\"messageId\":\"m\",\"role\":1,\"parts\":[{\"text\":\"a\"}]}} | -32602 | tenant",
                "SendMessage | {\"configuration\":{\"taskPushNotificationConfig\":{\"url\":\"u\"}},\"message\":{\"messageId\":\"m\",\"role\":1,\"parts\":[{\"text\":\"a\"}]}} | -32602 | configuration.taskPushNotificationConfig.url",
                "GetTask | {\"id\":\"t\",\"historyLength\":-1} | -32602 | historyLength",
                "GetTask | {\"id\":7} | -32602 | id",
                "GetTask | [] | -32602 | params",
                "CreateTaskPushNotificationConfig | {} | -32602 | taskId",
                "GetExtendedAgentCard | {} | -32004 | extended",
                "Nonsense | {} | -32601 | Nonsense",
                "message/send | {} | -32601 | message/send"
            })
    void what_cannot_be_told_in_0_3_is_refused_by_its_name_and_reaches_no_agent(
            String method, String params, int code, String named) {
        var answer = Json.stored(proxy.send(
                        agentOf03(),
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":" + params + "}",
                        "A2A-Version",
                        "1.0")
                .bodyAsString());

        assertThat(answer.path("error").path("code").asInt()).isEqualTo(code);
        assertThat(answer.path("error").path("message").asText()).contains(named);
        assertThat(requests).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "message/send | {\"message\":{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"kind\":\"video\"}]}} | message.parts[0].kind",
                "message/send | {\"message\":{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"kind\":\"file\",\"file\":{\"uri\":\"u\",\"bytes\":\"b\"}}]}} | message.parts[0].file",
                "message/send | {\"message\":{\"messageId\":\"m\",\"role\":\"user\",\"parts\":[{\"kind\":\"text\",\"text\":\"a\"}]},\"configuration\":{\"pushNotificationConfig\":{}}} | configuration.pushNotificationConfig",
                "tasks/get | {\"id\":\"t\",\"metadata\":{\"a\":1}} | metadata"
            })
    void what_cannot_be_told_in_1_0_is_refused_by_its_name_and_reaches_no_agent(
            String method, String params, String named) {
        assertThat(proxy.send(
                                agentOf10(),
                                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":" + params
                                        + "}")
                        .bodyAsString())
                .contains("\"error\":{\"code\":-3", "\"message\":\"" + named);
        assertThat(requests).isEmpty();
    }

    @Test
    void an_answer_that_cannot_be_told_is_the_agents_error() {
        var agent = proxy.agent(request -> {
            if (request.method().equals(HttpMethod.GET)) {
                request.response().setStatusCode(404).end();
            } else {
                json(
                        request.response(),
                        "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"status\":{\"state\":\"asleep\"}}}");
            }
        });

        assertThat(seen(proxy.send(agent, SEND_10)))
                .startsWith("200 {\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32006,")
                .contains("result.status.state is no state that A2A 1.0 has");
    }

    @Test
    void a_message_that_waits_for_a_busy_agent_leaves_in_the_agents_version() {
        var agent = agentOf10();
        busy = true;

        assertThat(seen(proxy.send(agent, SEND_03))).startsWith("202 ");
        busy = false;

        await().until(() -> {
            proxy.platform.bus.publish(DrainQueue.HINT, new DrainQueue(agent));
            return requests.stream()
                            .filter(one -> one.version.startsWith("1.0"))
                            .count()
                    >= 2;
        });
        assertThat(requests)
                .allSatisfy(one -> assertThat(one.body.path("method").asText()).isEqualTo("SendMessage"));
    }

    @Test
    void work_is_handed_on_to_an_agent_of_1_0_alone() {
        var agent = agentOf10();
        var source = proxy.agentSaying("{}");
        proxy.platform.mayTalk(source, agent);
        String token = "Bearer " + proxy.platform.tokenOf(source);

        assertThat(seen(proxy.post(
                        "/workspaces/" + source + "/delegate",
                        "{\"target_id\":\"" + agent + "\",\"task\":\"count\"}",
                        "Authorization",
                        token)))
                .startsWith("202 ");

        await().untilAsserted(() -> assertThat(proxy.client
                        .get("/workspaces/" + source + "/delegations")
                        .putHeader("Authorization", token)
                        .send()
                        .await()
                        .bodyAsString())
                .contains("completed", "one"));
        assertThat(requests.element().body.path("method").asText()).isEqualTo("SendMessage");
    }

    private UUID agentOf03() {
        return agent("{\"protocolVersion\":\"0.3.0\"}", false);
    }

    private UUID agentOf10() {
        var agent = agent(
                "{\"supportedInterfaces\":[{\"protocolBinding\":\"JSONRPC\",\"protocolVersion\":\"1.0\"}]}", true);
        proxy.platform.offersOnly10(agent);
        return agent;
    }

    private UUID agent(String card, boolean in10) {
        return proxy.agent(request -> {
            if (request.method().equals(HttpMethod.GET)) {
                json(request.response(), card);
            } else {
                request.body().onSuccess(body -> answer(request, Json.stored(body.toString()), in10));
            }
        });
    }

    private void answer(HttpServerRequest request, JsonNode body, boolean in10) {
        requests.add(new Seen(
                request.getHeader("A2A-Version") + " " + request.getHeader("A2A-Extensions") + " "
                        + request.getHeader("X-A2A-Extensions"),
                body));
        String method = body.path("method").asText();
        String envelope = "{\"jsonrpc\":\"2.0\",\"id\":" + body.path("id") + ",";
        if (busy) {
            request.response().setStatusCode(429).end();
        } else if (refuses) {
            String info = in10
                    ? ",\"data\":[{\"@type\":\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":\"TASK_NOT_FOUND\",\"domain\":\"a2a-protocol.org\"}]"
                    : "";
            json(
                    request.response(),
                    envelope + "\"error\":{\"code\":-32001,\"message\":\"Task not found\"" + info + "}}");
        } else if (method.equals("message/stream") || method.equals("SendStreamingMessage")) {
            var response = request.response().setChunked(true).putHeader("Content-Type", "text/event-stream");
            for (String event : in10 ? STREAM_10 : STREAM_03) {
                response.write("data: " + envelope + "\"result\":" + event + "}\n\n");
            }
            response.end();
        } else if (method.equals("SendMessage")) {
            json(request.response(), envelope + "\"result\":{\"task\":" + TASK_10 + "}}");
        } else {
            json(request.response(), envelope + "\"result\":" + (in10 ? TASK_10 : TASK_03) + "}");
        }
    }

    private static String streaming(String send) {
        return send.replace("message/send", "message/stream").replace("SendMessage", "SendStreamingMessage");
    }

    private static List<String> idsOf(String events) {
        return events.lines()
                .filter(line -> line.startsWith("id: "))
                .map(line -> line.substring(4))
                .toList();
    }

    private static List<String> results(String events) {
        return events.lines()
                .filter(line -> line.startsWith("data: "))
                .map(line -> Json.stored(line.substring(6)).path("result").toString())
                .toList();
    }

    private Reading read(UUID agent, String body, String... headers) {
        return Reading.of(vertx, HttpMethod.POST, proxy.port, "/workspaces/" + agent + "/a2a", body, headers);
    }
}
