package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A call that was refused for now is sent again where nothing was done for it, while its caller waits. */
@ExtendWith(VertxExtension.class)
class AskingAgainTest {

    private static final String QUESTION = "{\"model\":\"m\"}";
    private static final String ANSWER = "{\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":10}}";

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
    }

    @Test
    void too_many_requests_are_sent_again_when_the_provider_says() {
        firstly(response ->
                response.setStatusCode(429).putHeader("retry-after-ms", "5").end());

        var response = door.ask(DoorUnderTest.CHAT, QUESTION);

        assertThat(response.bodyAsString()).isEqualTo(ANSWER);
        assertThat(door.provider.asked).hasSize(2);
        assertThat(door.provider.asked.get(0).body())
                .isEqualTo(door.provider.asked.get(1).body());
        assertThat(door.row().getInteger("attempts")).isEqualTo(2);
        assertThat(door.row().getString("outcome")).isEqualTo("ok");
        assertThat(door.spent()).isEqualTo(110);
    }

    @Test
    void a_wait_that_a_provider_asks_for_is_told_to_the_canvas() {
        firstly(response ->
                response.setStatusCode(429).putHeader("Retry-After", "1").end());

        assertThat(door.ask(DoorUnderTest.CHAT, QUESTION).bodyAsString()).isEqualTo(ANSWER);
        firstly(response ->
                response.setStatusCode(429).putHeader("Retry-After", "40").end());
        assertThat(door.ask(DoorUnderTest.CHAT, QUESTION).statusCode()).isEqualTo(429);

        await().untilAsserted(() -> assertThat(door.proxy.platform.live.stream()
                        .filter(event -> event.type().equals("MODEL_WAITING"))
                        .map(event -> event.workspaceId() + " "
                                + event.payload().path("provider").asText() + " "
                                + event.payload().path("seconds").asInt()))
                .containsExactly(door.workspace + " openai 1", door.workspace + " openai 40"));
    }

    @Test
    void an_overload_is_asked_again_after_a_moment() {
        firstly(response -> response.setStatusCode(529).end());

        assertThat(door.ask(DoorUnderTest.CHAT, QUESTION).bodyAsString()).isEqualTo(ANSWER);
        assertThat(door.row().getInteger("attempts")).isEqualTo(2);
    }

    @Test
    void a_connection_that_ends_before_an_answer_is_tried_once_more() {
        firstly(HttpServerResponse::reset);

        assertThat(door.ask(DoorUnderTest.CHAT, QUESTION).bodyAsString()).isEqualTo(ANSWER);
        assertThat(door.provider.asked).hasSize(2);
    }

    @Test
    void one_that_ends_again_is_told() {
        door.provider.answer = HttpServerResponse::reset;

        var response = door.ask(DoorUnderTest.CHAT, QUESTION);

        assertThat(response.statusCode()).isEqualTo(502);
        assertThat(response.bodyAsString()).contains("broke off before it answered");
        assertThat(door.provider.asked).hasSize(2);
    }

    @Test
    void what_the_provider_does_not_want_again_is_not_sent_again() {
        firstly(response -> response.setStatusCode(429)
                .putHeader("Retry-After", "0")
                .putHeader("x-should-retry", "false")
                .end("no"));

        var response = door.ask(DoorUnderTest.CHAT, QUESTION);

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.getHeader("Retry-After")).isEqualTo("0");
        assertThat(door.provider.asked).hasSize(1);
    }

    @Test
    void a_caller_with_less_patience_is_told_at_once() {
        firstly(response ->
                response.setStatusCode(429).putHeader("Retry-After", "3").end());

        var response = door.ask(DoorUnderTest.CHAT, QUESTION, "X-Stainless-Timeout", "5");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.getHeader("Retry-After")).isEqualTo("3");
        assertThat(door.provider.asked).hasSize(1);
    }

    @Test
    void a_failure_that_may_have_done_something_is_not_sent_again() {
        firstly(response -> response.setStatusCode(500).end("oh"));

        assertThat(door.ask(DoorUnderTest.CHAT, QUESTION).statusCode()).isEqualTo(500);
        assertThat(door.provider.asked).hasSize(1);
    }

    private void firstly(Consumer<HttpServerResponse> refusal) {
        var asked = new AtomicInteger();
        door.provider.answer = response -> {
            if (asked.getAndIncrement() == 0) {
                refusal.accept(response);
            } else {
                response.putHeader("Content-Type", "application/json").end(ANSWER);
            }
        };
    }
}
