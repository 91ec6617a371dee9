package ai.molecule.proxy.models;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.testkit.Kept;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A provider that is busy, broken or away: the caller learns it, and only what left is charged. */
@ExtendWith(VertxExtension.class)
class ProvidersThatFailTest {

    private static final String WORD = "data: {\"choices\":[{\"delta\":{\"content\":\"abc\"}}]}\n\n";

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
    }

    @Test
    void too_many_requests_for_longer_than_a_caller_waits_come_back_as_they_are() {
        door.provider.answer = response -> response.setStatusCode(429)
                .putHeader("Retry-After", "170")
                .putHeader("Content-Type", "application/json")
                .end("{\"error\":{\"message\":\"slow down\"}}");

        var response = door.ask(DoorUnderTest.CHAT, DoorUnderTest.STREAMED);

        assertThat(seen(response)).isEqualTo("429 {\"error\":{\"message\":\"slow down\"}}");
        assertThat(response.getHeader("Retry-After")).isEqualTo("170");
        assertThat(door.provider.asked).hasSize(1);
        assertThat(door.row().getString("outcome")).isEqualTo("refused");
        assertThat(door.row().getLong("cost_micros")).isZero();
    }

    @Test
    void an_overload_without_a_time_comes_back_without_one() {
        door.provider.answer = response -> response.setStatusCode(529).end("{\"type\":\"error\"}");

        var response = door.ask(DoorUnderTest.MESSAGES, "{\"model\":\"m\"}");

        assertThat(seen(response)).isEqualTo("529 {\"type\":\"error\"}");
        assertThat(response.getHeader("Retry-After")).isNull();
        assertThat(door.row().getInteger("status")).isEqualTo(529);
        assertThat(door.row().getInteger("attempts")).isEqualTo(3);
        assertThat(door.provider.asked).hasSize(3);
    }

    @Test
    void a_refused_key_is_not_told_to_the_caller() {
        door.provider.answer =
                response -> response.setStatusCode(401).end("{\"error\":\"bad key " + DoorUnderTest.KEY + "\"}");

        var response = door.ask(DoorUnderTest.CHAT, DoorUnderTest.STREAMED);

        assertThat(response.statusCode()).isEqualTo(502);
        assertThat(response.bodyAsString()).contains("FAKE_KEY").doesNotContain(DoorUnderTest.KEY);
    }

    @Test
    void events_that_do_not_end_find_no_more_room_than_there_is(@TempDir Path folder) {
        var apart = Vertx.vertx(); // with a bus of its own, where nobody else says who has which token
        var small = new DoorUnderTest(apart, folder, limits -> with(limits, "requestsMaxBytes", 64L * 1024));
        small.provider.answer = response -> {
            FakeProvider.events(response);
            response.write(WORD + "data: " + "x".repeat(20 * 1024)); // and nothing more
        };

        var first = small.asking(small.token, DoorUnderTest.CHAT, DoorUnderTest.STREAMED);
        var second = small.asking(small.token, DoorUnderTest.CHAT, DoorUnderTest.STREAMED);

        await().until(() -> first.succeeded() || second.succeeded());
        assertThat((first.succeeded() ? first : second).result().bodyAsString())
                .startsWith(WORD)
                .contains("sent an event too large for the room that is left");
        apart.close().await();
    }

    @Test
    void a_stream_that_breaks_off_ends_with_an_error_and_is_charged_as_far_as_it_came() {
        door.provider.answer = response -> {
            FakeProvider.events(response);
            response.write(WORD + WORD + "data: {\"choi").onComplete(written -> response.reset());
        };

        var response = door.ask(DoorUnderTest.CHAT, DoorUnderTest.STREAMED);

        assertThat(response.bodyAsString())
                .startsWith(WORD + WORD + "data: {\"error\":{\"message\":\"the provider broke off")
                .endsWith("data: [DONE]\n\n");
        assertThat(door.row().getString("outcome")).isEqualTo("cut");
        assertThat(door.row().getLong("tokens_out")).isEqualTo(2);
        assertThat(door.row().getBoolean("estimated")).isTrue();
    }

    @Test
    void a_caller_that_leaves_ends_the_call(Vertx vertx) {
        var begun = new CompletableFuture<Void>();
        var ended = new CompletableFuture<Void>();
        door.provider.answer = response -> {
            FakeProvider.events(response);
            response.closeHandler(closed -> ended.complete(null));
            response.write(WORD);
            begun.complete(null);
        };
        var caller = Kept.kept(WebClient.create(vertx));
        caller.post(door.proxy.port, "127.0.0.1", DoorUnderTest.CHAT)
                .putHeader("Authorization", "Bearer " + door.token)
                .sendBuffer(Buffer.buffer(DoorUnderTest.STREAMED));
        assertThat(begun).succeedsWithin(Duration.ofSeconds(60));

        caller.close();

        assertThat(ended).succeedsWithin(Duration.ofSeconds(60));
        assertThat(door.row().getString("outcome")).isEqualTo("left");
    }

    @Test
    void one_that_cannot_be_reached_costs_nothing_and_is_left_alone_after_a_few() {
        for (int i = 0; i < 5; i++) {
            var response = door.ask(DoorUnderTest.CHAT, "{\"model\":\"gone:m\"}");
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.bodyAsString()).contains("nothing was sent");
        }

        var refused = door.ask(DoorUnderTest.CHAT, "{\"model\":\"gone:m\"}");

        assertThat(refused.bodyAsString()).contains("is left alone for 10 s");
        assertThat(refused.getHeader("Retry-After")).isEqualTo("10");
        assertThat(door.rows(6)).allSatisfy(row -> {
            assertThat(row.getString("outcome")).isEqualTo("unreachable");
            assertThat(row.getLong("cost_micros")).isZero();
        });
    }
}
