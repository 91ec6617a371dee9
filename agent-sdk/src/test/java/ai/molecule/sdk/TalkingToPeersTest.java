package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TalkingToPeersTest {

    @TempDir
    private Path home;

    private ScriptedServer peer;
    private A2aClient client;

    @BeforeEach
    void startPeer() throws Exception {
        peer = new ScriptedServer();
        var token = TokenFile.in(home);
        token.save("mine");
        client = new A2aClient(ClientConfig.of("ws-1", "http://platform", token));
    }

    @AfterEach
    void stopPeer() {
        peer.close();
    }

    @Test
    void a_message_says_who_calls_and_who_is_meant() {
        peer.answers(200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"parts\":[]}}");

        client.send(URI.create(peer.url()), Optional.of("ws-2"), "hello");

        var request = peer.requests.get(0);
        assertThat(request.headers().getFirst("X-Workspace-ID")).isEqualTo("ws-1");
        assertThat(request.headers()).doesNotContainKey("Authorization");
        assertThat(request.headers().getFirst("X-Molecule-Target")).isEqualTo("ws-2");
        assertThat(request.json().path("jsonrpc").asText()).isEqualTo("2.0");
        assertThat(request.json().path("method").asText()).isEqualTo("message/send");
        var message = request.json().path("params").path("message");
        assertThat(message.path("kind").asText()).isEqualTo("message");
        assertThat(message.path("role").asText()).isEqualTo("user");
        assertThat(message.path("messageId").asText()).hasSize(36);
        assertThat(message.path("parts").toString()).isEqualTo("[{\"kind\":\"text\",\"text\":\"hello\"}]");
    }

    @Test
    void the_platform_alone_is_shown_the_token_and_only_where_it_delivers_messages() throws Exception {
        try (var platform = new ScriptedServer()) {
            var token = TokenFile.in(home);
            var own =
                    new A2aClient(ClientConfig.of("ws-1", platform.url(), token).withOrgId("acme"));
            platform.answers(200, "{\"result\":{}}");

            own.send(URI.create(platform.url() + "/workspaces/ws-2/a2a"), Optional.of("ws-2"), "hello");

            var headers = platform.requests.get(0).headers();
            assertThat(headers.getFirst("Authorization")).isEqualTo("Bearer mine");
            assertThat(headers.getFirst("X-Molecule-Org-Id")).isEqualTo("acme");
            for (String elsewhere : List.of(
                    "/workspaces/ws-1/pause", "/workspaces/ws-1/pause?/a2a", "/workspaces/x/../ws-1/a2a", "/")) {
                assertThatThrownBy(() -> own.send(URI.create(platform.url() + elsewhere), Optional.of("ws-2"), "hello"))
                        .isInstanceOf(A2aException.class)
                        .hasMessageContaining("where no agent is");
            }
            assertThat(platform.requests).hasSize(1);
        }
    }

    @Test
    void other_spellings_of_the_platforms_address_are_the_platform_and_other_addresses_are_not() {
        var config = ClientConfig.of("ws-1", "https://Platform.example/", TokenFile.in(home));

        assertThat(List.of("https://platform.example:443/x", "HTTPS://PLATFORM.example"))
                .allMatch(url -> config.isOnPlatform(URI.create(url)));
        assertThat(List.of(
                        "http://platform.example/x",
                        "https://platform.example:444/x",
                        "https://platform.example@evil.example/x",
                        "https://platform.example.evil/x",
                        "mailto:platform.example"))
                .noneMatch(url -> config.isOnPlatform(URI.create(url)));
    }

    @Test
    void a_peer_known_by_its_address_only_is_not_named() {
        peer.answers(200, "{\"result\":{}}");

        client.send(URI.create(peer.url()), Optional.empty(), "hello");

        assertThat(peer.requests.get(0).headers()).doesNotContainKey("X-molecule-target");
    }

    @Test
    void a_message_answer_is_read_line_by_line() throws Exception {
        assertThat(answer("""
                        {"result":{"kind":"message","parts":[{"kind":"text","text":"one"},{"type":"text","text":"two"},
                        {"root":{"text":"three"}},{"kind":"data","data":{}}]}}""").text()).isEqualTo("one\ntwo\nthree");
    }

    @Test
    void a_task_answer_is_read_from_its_artifacts() throws Exception {
        var answer = answer("""
                {"result":{"kind":"task","status":{"state":"completed","message":{"parts":[{"text":"done"}]}},
                "artifacts":[{"parts":[{"text":"Hel"},{"text":"lo"}]},{"parts":[]},{"parts":[{"text":"bye"}]}]}}""");

        assertThat(answer.text()).isEqualTo("Hello\nbye");
        assertThat(answer.taskState()).contains("completed");
    }

    @Test
    void a_task_without_artifacts_is_read_from_its_status() throws Exception {
        assertThat(answer("""
                        {"result":{"kind":"task","status":{"state":"failed","message":{"parts":[{"text":"no"}]}}}}""").text()).isEqualTo("no");
    }

    @Test
    void a_question_or_reason_comes_before_what_a_task_said_on_the_way_to_it() throws Exception {
        for (String state : List.of("input-required", "auth-required", "failed", "rejected")) {
            var answer = answer("""
                    {"result":{"kind":"task","id":"t-1","status":{"state":"%s","message":{"parts":[{"text":"which?"}]}},
                    "artifacts":[{"parts":[{"text":"Let me look."}]}]}}""".formatted(state));

            assertThat(answer.text()).isEqualTo("which?\nLet me look.");
            assertThat(answer.statusText()).isEqualTo("which?");
            assertThat(answer.taskId()).contains("t-1");
            assertThat(answer.asks()).isEqualTo(state.endsWith("required"));
        }
    }

    @Test
    void a_json_rpc_error_carries_its_code() {
        peer.answers(
                200, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"method not found\"}}");

        assertThatThrownBy(() -> client.send(URI.create(peer.url()), Optional.empty(), "hello"))
                .isInstanceOfSatisfying(
                        A2aException.class, e -> assertThat(e.code()).isEqualTo(-32601))
                .hasMessage("method not found");
    }

    @Test
    void an_http_error_carries_its_status() {
        peer.answers(421, "{\"error\":\"somebody else lives here\"}");

        assertThatThrownBy(() -> client.send(URI.create(peer.url()), Optional.of("ws-2"), "hello"))
                .isInstanceOfSatisfying(
                        A2aException.class, e -> assertThat(e.code()).isEqualTo(421))
                .hasMessage("answered 421: somebody else lives here");
    }

    @Test
    void an_answer_that_is_no_answer_is_an_error() {
        peer.answers(200, "{\"status\":\"queued\"}").answers(200, "<html>");

        assertThatThrownBy(() -> client.send(URI.create(peer.url()), Optional.empty(), "hello"))
                .isInstanceOf(A2aException.class);
        assertThatThrownBy(() -> client.send(URI.create(peer.url()), Optional.empty(), "hello"))
                .isInstanceOf(A2aException.class);
    }

    @Test
    void a_peer_that_never_answers_is_given_up() {
        assertThatThrownBy(() -> client.send(URI.create(peer.url()), Optional.empty(), "hello", Duration.ofMillis(100)))
                .isInstanceOf(A2aException.class)
                .hasMessageContaining("no answer within");
    }

    @Test
    void an_interrupted_caller_stops_waiting() {
        var failure = new CompletableFuture<Throwable>();
        var caller = new Thread(() -> {
            try {
                client.send(URI.create(peer.url()), Optional.empty(), "hello");
            } catch (A2aException e) {
                failure.complete(e);
            }
        });
        caller.start();
        await().until(() -> !peer.requests.isEmpty());

        caller.interrupt();

        assertThat(failure.join()).hasMessageContaining("interrupted");
    }

    @Test
    void an_answer_over_the_size_limit_is_refused() {
        peer.answers(200, "x".repeat(Exchange.RESPONSE_MAX_BYTES + 1));

        assertThatThrownBy(() -> client.send(URI.create(peer.url()), Optional.empty(), "hello"))
                .isInstanceOf(A2aException.class)
                .hasMessageContaining("exceeds");
    }

    private static A2aAnswer answer(String response) throws Exception {
        return A2aAnswer.fromResponse(new ObjectMapper().readTree(response));
    }
}
