package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An agent that can be called: what it understands, what it refuses, and what it does not do twice. */
@Timeout(120)
class PushingTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path home;

    private final List<InboundMessage> handled = new CopyOnWriteArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private PushDelivery push;

    @BeforeEach
    void listen() {
        var client = RemoteAgentClient.builder("me", "http://127.0.0.1:1")
                .tokenFolder(home)
                .build();
        push = PushDelivery.listen(client, PushOptions.onPort(0).withMaxConcurrent(2));
        push.runOnce((message, self) -> {
            handled.add(message);
            if (message.text().equals("bad")) {
                throw new IllegalStateException("no");
            }
            return "You said: " + message.text();
        });
    }

    @AfterEach
    void stop() {
        push.close();
        push.close();
    }

    @Test
    void a_message_of_the_protocol_is_answered_with_a_message() throws Exception {
        var answer = post("/a2a", rpc("m1", "hello"), "X-Workspace-ID", "p1");

        assertThat(answer.statusCode()).isEqualTo(200);
        JsonNode body = JSON.readTree(answer.body());
        assertThat(body.path("id").asInt()).isEqualTo(7);
        assertThat(body.at("/result/parts/0/text").asText()).isEqualTo("You said: hello");
        assertThat(body.at("/result/kind").asText()).isEqualTo("message");
        assertThat(handled.get(0))
                .extracting("activityId", "source", "sourceId", "text")
                .containsExactly("m1", InboundSource.PEER_AGENT, "p1", "hello");
    }

    @Test
    void the_simple_form_is_answered_in_its_own_words() throws Exception {
        var answer = post(
                "/a2a/inbound?x=1",
                "{\"task_id\":\"t\",\"sender\":\"p2\",\"message\":\"hi\",\"idempotency_key\":\"k\"}");

        assertThat(answer.body()).isEqualTo("{\"status\":\"ok\",\"result\":\"You said: hi\"}");
        assertThat(handled.get(0)).extracting("activityId", "sourceId").containsExactly("k", "p2");
    }

    @Test
    void a_person_is_a_sender_without_a_workspace() throws Exception {
        post("/", rpc("m", "hello"));

        assertThat(handled.get(0).source()).isEqualTo(InboundSource.CANVAS_USER);
    }

    @Test
    void a_repeat_gets_the_same_answer_and_is_not_handled_twice() throws Exception {
        String first = post("/a2a", rpc("m1", "hello")).body();
        String second = post("/a2a", rpc("m1", "hello")).body();

        assertThat(handled).hasSize(1);
        assertThat(JSON.readTree(second).at("/result/parts"))
                .isEqualTo(JSON.readTree(first).at("/result/parts"));
        post("/a2a", rpc("m1", "hello"), "X-Workspace-ID", "somebody-else");
        assertThat(handled).hasSize(2);
    }

    @Test
    void a_handler_that_fails_is_an_error_and_the_server_goes_on() throws Exception {
        assertThat(post("/a2a/inbound", "{\"message\":\"bad\"}").statusCode()).isEqualTo(500);
        assertThat(JSON.readTree(post("/a2a", rpc("m2", "bad")).body())
                        .at("/error/code")
                        .asInt())
                .isEqualTo(-32603);
        assertThat(post("/a2a/inbound", "{\"message\":\"good\"}").statusCode()).isEqualTo(200);
    }

    @Test
    void a_page_in_a_browser_is_not_heard() throws Exception {
        assertThat(post("/a2a", rpc("m", "hi"), "Origin", "http://evil.example").body())
                .isEqualTo("{\"error\":\"origin not allowed\"}");
        assertThat(handled).isEmpty();
        assertThat(post("/a2a", rpc("m", "hi"), "Origin", "http://localhost:3000")
                        .statusCode())
                .isEqualTo(200);

        assertThat(WebPages.mayAsk("https://molecule.example", "127.0.0.1:80", "p1"))
                .isTrue();
        assertThat(WebPages.mayAsk("http://evil.example:80", "evil.example:80", "p1"))
                .isFalse();
        assertThat(WebPages.mayAsk("null", "127.0.0.1:80", "p1")).isFalse();
    }

    @Test
    void what_is_not_understood_is_refused() throws Exception {
        assertThat(post("/elsewhere", "{}").body()).isEqualTo("{\"error\":\"not found\"}");
        assertThat(post("/a2a/inbound", "").statusCode()).isEqualTo(400);
        assertThat(post("/a2a/inbound", "{nonsense").body()).startsWith("{\"error\":\"bad request: ");
        assertThat(post("/a2a/inbound", "[]").statusCode()).isEqualTo(400);
        assertThat(post("/a2a", "{\"method\":\"tasks/get\",\"id\":1}").body()).contains("-32601");
        assertThat(post("/a2a", "{\"method\":\"message/send\",\"id\":1}").body())
                .contains("-32602");
        assertThat(post("/a2a", rpc("m", "hello"), "X-Molecule-Target", "another")
                        .statusCode())
                .isEqualTo(421);
        assertThat(post("/a2a", rpc("m", "x".repeat(1024 * 1024))).statusCode()).isEqualTo(413);
        assertThat(get("/a2a").statusCode()).isEqualTo(501);
        assertThat(handled).isEmpty();
    }

    @Test
    void the_agent_card_is_served() throws Exception {
        assertThat(get("/.well-known/agent-card.json").body()).isEqualTo("{\"name\":\"remote-agent-me\"}");
    }

    @Test
    void who_comes_when_all_places_are_taken_is_told_to_come_again() throws Exception {
        var release = new CountDownLatch(1);
        var inside = new CountDownLatch(2);
        push.runOnce((message, self) -> {
            inside.countDown();
            release.await();
            return "done";
        });
        var one = postAsync("/a2a", rpc("1", "x"));
        var two = postAsync("/a2a", rpc("2", "x"));
        inside.await();

        var third = post("/a2a", rpc("3", "x"));

        assertThat(third.statusCode()).isEqualTo(503);
        assertThat(third.headers().firstValue("Retry-After")).contains("5");
        release.countDown();
        assertThat(one.get().body()).contains("done");
        assertThat(two.get().body()).contains("done");
        assertThat(post("/a2a", rpc("3", "x")).body()).contains("done");
    }

    @Test
    void a_repeat_that_comes_while_the_first_is_handled_waits_for_its_answer() throws Exception {
        var release = new CountDownLatch(1);
        var inside = new CountDownLatch(1);
        push.runOnce((message, self) -> {
            inside.countDown();
            release.await();
            return "once";
        });
        var first = postAsync("/a2a", rpc("1", "x"));
        inside.await();
        var repeat = postAsync("/a2a", rpc("1", "x"));
        release.countDown();

        assertThat(first.get().body()).contains("once");
        assertThat(repeat.get().body()).contains("once");
    }

    @Test
    void the_door_is_closed_until_the_loop_runs_and_while_it_is_paused() throws Exception {
        push.wake();

        assertThat(post("/a2a", rpc("1", "x")).statusCode()).isEqualTo(503);
    }

    @Test
    void the_oldest_of_too_many_messages_is_forgotten() {
        var messages = new HandledMessages(Clock.systemUTC());
        for (int i = 0; i <= HandledMessages.ENTRIES_MAX; i++) {
            assertThat(messages.begin("m" + i)).isEmpty();
            messages.answered("m" + i, "a");
        }

        assertThat(messages.begin("m1")).isPresent();
        assertThat(messages.begin("m0")).isEmpty();
    }

    @Test
    void answers_that_take_too_much_room_go_with_their_messages() {
        var messages = new HandledMessages(Clock.systemUTC());
        String big = "x".repeat(HandledMessages.ANSWERS_MAX_CHARS / 2 + 1);
        messages.begin("a");
        messages.answered("a", big);
        messages.begin("b");
        messages.answered("b", big);

        assertThat(messages.begin("b")).isPresent();
        assertThat(messages.begin("a")).isEmpty();
    }

    @Test
    void an_agent_loop_can_be_fed_by_push() throws Exception {
        push.close();
        try (var platform = new FakePlatform()) {
            var client = RemoteAgentClient.builder("me", platform.url())
                    .tokenFolder(home)
                    .build();
            client.register();
            push = PushDelivery.listen(client, PushOptions.onPort(0));
            var loop = new Thread(() -> {
                try {
                    client.runAgentLoop((message, self) -> "pushed", push, LoopOptions.defaults());
                } catch (InterruptedException end) {
                    Thread.currentThread().interrupt();
                }
            });
            loop.start();

            await().until(() -> post("/a2a", rpc("m", "x")).body().contains("pushed"));

            loop.interrupt();
            loop.join();
        }
    }

    private static String rpc(String messageId, String text) {
        return "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\""
                + messageId + "\",\"parts\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}}}";
    }

    private HttpResponse<String> get(String path) throws Exception {
        return http.send(HttpRequest.newBuilder(uri(path)).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        return http.send(request(path, body, headers), BodyHandlers.ofString());
    }

    private CompletableFuture<HttpResponse<String>> postAsync(String path, String body) {
        return http.sendAsync(request(path, body), BodyHandlers.ofString());
    }

    private HttpRequest request(String path, String body, String... headers) {
        var request = HttpRequest.newBuilder(uri(path)).POST(BodyPublishers.ofString(body));
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return request.build();
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + push.port() + path);
    }
}
