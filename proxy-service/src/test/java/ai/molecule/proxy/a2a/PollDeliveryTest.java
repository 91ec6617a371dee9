package ai.molecule.proxy.a2a;

import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages to agents that fetch them: written down before the sender is answered, each once. */
@ExtendWith(VertxExtension.class)
class PollDeliveryTest {

    private static final String ENVELOPED =
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m-1\"}}}";

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private UUID poller;

    @BeforeEach
    void start(Vertx vertx) {
        proxy = ProxyUnderTest.start(vertx);
        poller = proxy.platform.workspace("remote://no-inbound", false, WorkspaceStatus.ONLINE, false);
    }

    @Test
    void the_row_is_there_when_the_answer_comes() {
        var response = proxy.send(poller, ENVELOPED);

        assertThat(proxy.platform.rows).hasSize(1);
        assertThat(seen(response))
                .isEqualTo(
                        "200 {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"status\":\"queued\",\"delivery_mode\":\"poll\"}}");
        var row = proxy.platform.rows.getFirst();
        assertThat(row.activityType()).isEqualTo("a2a_receive");
        assertThat(row.summary()).isEqualTo("message/send → planner");
        assertThat(Json.stored(row.requestBody())).isEqualTo(Json.stored(ENVELOPED));
        assertThat(row.status()).isEqualTo("ok");
        assertThat(proxy.platform.live).isEmpty();
    }

    @Test
    void the_same_message_of_the_same_sender_is_kept_once() {
        proxy.send(poller, ENVELOPED);
        var again = proxy.send(poller, ENVELOPED);

        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(proxy.platform.rows).hasSize(1);
    }

    @Test
    void the_same_message_id_of_another_sender_is_another_message() {
        var peer = UUID.randomUUID();
        proxy.platform.mayTalk(peer, poller);

        proxy.send(poller, HELLO);
        proxy.send(poller, HELLO, "X-Workspace-ID", peer.toString());

        assertThat(proxy.platform.rows).hasSize(2);
    }

    @Test
    void a_message_that_could_not_be_kept_is_not_said_to_be_queued() {
        proxy.platform.rows.refuse();

        var response = proxy.send(poller, HELLO);

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.getHeader("Retry-After")).isEqualTo("2");
        assertThat(response.bodyAsJsonObject().getString("code")).isEqualTo("platform_unavailable");
    }

    /** Under the same JSON-RPC id they would be taken for one message. */
    @ParameterizedTest
    @ValueSource(strings = {"", "\"messageId\":\"\",", "\"messageId\":null,", "\"messageId\":7,"})
    void a_message_of_1_0_that_does_not_say_which_it_is_is_refused(String messageId) {
        String message = "{\"message\":{" + messageId + "\"role\":\"ROLE_USER\",\"parts\":[{\"text\":\"hi\"}]}}";

        for (String method : List.of("SendMessage", "SendStreamingMessage")) {
            String answer = seen(proxy.send(
                    poller,
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":" + message + "}",
                    "A2A-Version",
                    "1.0"));
            assertThat(answer)
                    .startsWith(
                            "200 {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"message.messageId is required\"")
                    .contains("\"field\":\"message.messageId\"");
        }
        for (String path : List.of("message:send", "message:stream")) {
            var answer = proxy.client
                    .post("/workspaces/" + poller + "/a2a/" + path)
                    .sendBuffer(Buffer.buffer(message))
                    .await();
            assertThat(seen(answer))
                    .startsWith(
                            "400 {\"error\":{\"code\":400,\"status\":\"INVALID_ARGUMENT\",\"message\":\"message.messageId is required\"");
        }
        assertThat(proxy.platform.rows).isEmpty();
    }

    @Test
    void bad_json_is_not_kept() {
        assertThat(seen(proxy.send(poller, "{"))).isEqualTo("400 {\"error\":\"invalid JSON\"}");
        assertThat(proxy.platform.rows).isEmpty();
    }
}
