package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Where an operator names who stands in for a provider, those are asked in their order, and the caller is told who answered. */
@ExtendWith(VertxExtension.class)
class FallbacksOfModelsTest {

    private static final String ANSWER = "{\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":10}}";

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder);
        door.proxy.platform.budgets.put(door.workspace, 100L);
    }

    @Test
    void an_overloaded_provider_is_followed_by_the_next_that_answers() {
        weakly(response -> response.setStatusCode(529).end());

        var response = door.ask(DoorUnderTest.CHAT, "{\"model\":\"weak:m\"}");

        assertThat(response.bodyAsString()).isEqualTo(ANSWER);
        assertThat(response.getHeader("X-Molecule-Model")).isEqualTo("fake:m");
        assertThat(response.getHeader("X-Molecule-Instead-Of")).isEqualTo("weak:m");
        assertThat(door.provider.asked)
                .extracting(FakeProvider.Asked::uri)
                .containsExactly("/weak/v1/chat/completions", "/v1/chat/completions");
        assertThat(door.rows(3))
                .extracting(row -> row.getString("provider") + " " + row.getString("outcome") + " "
                        + row.getString("instead_of") + " " + row.getLong("cost_micros"))
                .containsExactly("weak refused null 0", "gone unreachable weak:m 0", "fake ok weak:m 110");
        assertThat(List.of(door.spent(), door.reserved())).containsExactly(110L, 0L);
    }

    @Test
    void an_answer_that_says_what_is_wrong_with_the_question_is_the_answer() {
        weakly(response -> response.setStatusCode(400).end("bad"));

        var response = door.ask(DoorUnderTest.CHAT, "{\"model\":\"weak:m\"}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.getHeader("X-Molecule-Model")).isEqualTo("weak:m");
        assertThat(door.provider.asked).hasSize(1);
    }

    @Test
    void the_last_of_them_says_why_there_is_no_answer() {
        door.provider.answer = response -> response.setStatusCode(500).end("oh");

        var response = door.ask(DoorUnderTest.CHAT, "{\"model\":\"weak:m\"}");

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(response.bodyAsString()).isEqualTo("oh");
        assertThat(door.rows(3)).hasSize(3);
        assertThat(door.reserved()).isZero();
    }

    @Test
    void an_alias_is_answered_by_the_first_of_its_models_that_has_a_key() {
        door.provider.saysWhole(ANSWER);

        var response = door.ask(DoorUnderTest.CHAT, "{\"model\":\"best\"}");

        assertThat(response.getHeader("X-Molecule-Model")).isEqualTo("fake:m");
        assertThat(door.provider.asked.getFirst().body()).contains("\"model\":\"m\"");
        assertThat(door.get("/models/openai/v1/models").bodyAsString()).contains("\"id\":\"best\"");
        assertThat(door.get("/models")
                        .bodyAsJsonObject()
                        .getJsonArray("aliases")
                        .encode())
                .isEqualTo("[{\"name\":\"best\",\"ready\":true,\"models\":[\"unkeyed:x\",\"fake:m\"]}]");
    }

    @Test
    void a_request_is_held_until_somebody_answers_and_no_longer() {
        var open = new CompletableFuture<HttpServerResponse>();
        weakly(response -> {
            FakeProvider.events(response);
            response.write("data: {}\n\n").onSuccess(written -> open.complete(response));
        });

        var answer = door.asking(door.token, DoorUnderTest.CHAT, "{\"model\":\"weak:m\",\"stream\":true}");

        var response = open.orTimeout(60, TimeUnit.SECONDS).join();
        await().until(
                        () -> door.proxy.client.get("/metrics").send().await().bodyAsString(),
                        text -> text.contains("molecule_model_request_bytes 0.0")
                                && text.contains("molecule_model_calls_under_way 1.0"));
        response.end();
        assertThat(answer.await().statusCode()).isEqualTo(200);
    }

    @Test
    void a_stream_that_has_begun_stays_where_it_is() {
        weakly(response -> {
            FakeProvider.events(response);
            response.write("data: {\"choices\":[{\"delta\":{\"content\":\"abc\"}}]}\n\n")
                    .onComplete(written -> response.reset());
        });

        var response = door.ask(DoorUnderTest.CHAT, "{\"model\":\"weak:m\",\"stream\":true}");

        assertThat(response.bodyAsString()).contains("abc", "broke off");
        assertThat(door.provider.asked).hasSize(1);
    }

    /** Of those who stand in, everybody answers. */
    private void weakly(Consumer<HttpServerResponse> refusal) {
        door.provider.answer = response -> {
            if (door.provider.asked.getLast().uri().startsWith("/weak")) {
                refusal.accept(response);
            } else {
                response.putHeader("Content-Type", "application/json").end(ANSWER);
            }
        };
    }
}
