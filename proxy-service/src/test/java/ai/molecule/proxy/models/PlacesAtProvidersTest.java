package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.testkit.Kept;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Calls wait for a place at their provider, agents in fair turns, so many for so long; limits a minute are those of all proxies together. */
@ExtendWith(VertxExtension.class)
class PlacesAtProvidersTest {

    private static final String WHOLE = "{\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":10}}";

    private final Deque<HttpServerResponse> open = new ConcurrentLinkedDeque<>();

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    private void start(Vertx vertx, Path folder, Duration patience, int waiting) {
        door = new DoorUnderTest(vertx, folder, limits -> limits.withWaiting(patience, waiting));
        door.proxy.platform.globalSecrets.add("FAKE_KEY");
    }

    @Test
    void one_agents_many_calls_do_not_keep_another_waiting(Vertx vertx, @TempDir Path folder) {
        start(vertx, folder, Duration.ofMinutes(1), 100);
        door.provider.answer = open::add;
        String other = door.proxy.platform.tokenOf(UUID.randomUUID());
        List<Future<?>> answers = new ArrayList<>();
        answers.add(narrow(door.token, "first"));
        await().until(() -> open.size() == 1);
        for (int i = 0; i < 2; i++) {
            answers.add(narrow(door.token, "more"));
        }
        waiting(2);
        answers.add(narrow(other, "others"));
        waiting(3);

        for (int answered = 0; answered < 4; answered++) {
            await().until(() -> !open.isEmpty());
            open.remove().putHeader("Content-Type", "application/json").end(WHOLE);
        }
        Future.join(answers).await();

        var order = door.provider.asked.stream()
                .map(asked -> asked.body().replaceAll(".*\"user\":\"(\\w+)\".*", "$1"))
                .toList();
        assertThat(order.indexOf("others")).isBetween(1, 2);
    }

    @Test
    void who_waits_too_long_is_told_when_to_come_again(Vertx vertx, @TempDir Path folder) {
        start(vertx, folder, Duration.ofMillis(50), 100);
        door.provider.answer = open::add;
        var first = narrow(door.token, "first");
        await().until(() -> open.size() == 1);

        var response = narrow(door.token, "second").await();

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.getHeader("Retry-After")).isEqualTo("1");
        assertThat(response.bodyAsString()).contains("parallel_max", "rate_limit_error");
        open.remove().end(WHOLE);
        assertThat(first.await().statusCode()).isEqualTo(200);
        assertThat(door.rows(1)).hasSize(1);
    }

    @Test
    void when_too_many_wait_the_one_with_most_of_them_goes(Vertx vertx, @TempDir Path folder) {
        start(vertx, folder, Duration.ofMinutes(1), 3);
        door.provider.answer = open::add;
        var taken = narrow(door.token, "first");
        await().until(() -> open.size() == 1);
        var many =
                IntStream.range(0, 3).mapToObj(i -> narrow(door.token, "more")).toList();
        waiting(3);
        var one = narrow(door.proxy.platform.tokenOf(UUID.randomUUID()), "other");
        await().until(() -> many.stream().anyMatch(Future::isComplete));

        for (int answered = 0; answered < 4; answered++) {
            await().until(() -> !open.isEmpty());
            open.remove().end(WHOLE);
        }

        assertThat(taken.await().statusCode()).isEqualTo(200);
        assertThat(one.await().statusCode()).isEqualTo(200);
        assertThat(many.stream().map(answer -> answer.await().statusCode())).containsOnlyOnce(429);
    }

    @Test
    void one_workspace_has_so_many_calls_at_one_time(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder, limits -> limits.withNumbers(10, 1));
        door.provider.answer = open::add;
        var first = door.asking(door.token, DoorUnderTest.CHAT, "{\"model\":\"m\"}");
        await().until(() -> open.size() == 1);

        var response = door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\"}");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.getHeader("Retry-After")).isEqualTo("1");
        assertThat(response.bodyAsString()).contains("for this workspace");
        open.remove().end(WHOLE);
        assertThat(first.await().statusCode()).isEqualTo(200);
    }

    @Test
    void a_caller_that_leaves_waits_no_more(Vertx vertx, @TempDir Path folder) {
        start(vertx, folder, Duration.ofMinutes(1), 100);
        door.provider.answer = open::add;
        var first = narrow(door.token, "first");
        await().until(() -> open.size() == 1);
        var leaving = Kept.kept(WebClient.create(vertx));
        leaving.post(door.proxy.port, "127.0.0.1", DoorUnderTest.CHAT)
                .putHeader("Authorization", "Bearer " + door.token)
                .sendBuffer(Buffer.buffer("{\"model\":\"narrow:m\"}"));
        waiting(1);
        leaving.close();
        waiting(0);

        open.remove().end(WHOLE);

        assertThat(first.await().statusCode()).isEqualTo(200);
        assertThat(door.provider.asked).hasSize(1);
    }

    @Test
    void requests_a_minute_are_counted_by_all_proxies_together(Vertx vertx, @TempDir Path folder) {
        start(vertx, folder, Duration.ofSeconds(2), 100);
        door.provider.saysWhole(WHOLE);
        var other = door.proxy.replica();

        var answers = IntStream.range(0, 24)
                .mapToObj(i -> ask(i % 2 == 0 ? door.proxy : other, "{\"model\":\"paced:m\"}"))
                .toList();
        Future.join(answers).await();

        long let = answers.stream()
                .filter(answer -> answer.result().statusCode() == 200)
                .count();
        assertThat(let).isBetween(10L, 20L); // ten at once, then one each second that the test takes
        assertThat(door.provider.asked).hasSize((int) let);
        assertThat(answers.stream()
                        .filter(answer -> answer.result().statusCode() == 429)
                        .findFirst()
                        .orElseThrow()
                        .result())
                .satisfies(refused -> assertThat(refused.bodyAsString()).contains("requests_per_minute"))
                .satisfies(refused -> assertThat(Integer.parseInt(refused.getHeader("Retry-After")))
                        .isEqualTo(1));
    }

    @Test
    void tokens_that_were_not_foreseen_count_when_they_are_known(Vertx vertx, @TempDir Path folder) {
        start(vertx, folder, Duration.ofSeconds(2), 100);
        door.provider.saysWhole("{\"usage\":{\"prompt_tokens\":5000,\"completion_tokens\":2000}}");

        var first = door.ask(DoorUnderTest.CHAT, "{\"model\":\"metered:m\"}");
        door.rows(1);
        var second = await().until(
                        () -> door.ask(DoorUnderTest.CHAT, "{\"model\":\"metered:m\"}"),
                        response -> response.statusCode() == 429);

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(Integer.parseInt(second.getHeader("Retry-After"))).isBetween(20, 60);
    }

    @Test
    void a_key_of_ones_own_has_places_of_its_own(Vertx vertx, @TempDir Path folder) {
        start(vertx, folder, Duration.ofMillis(50), 100);
        door.provider.answer = open::add;
        var shared = narrow(door.token, "first");
        await().until(() -> open.size() == 1);
        door.proxy.platform.globalSecrets.clear();

        var own = narrow(door.proxy.platform.tokenOf(UUID.randomUUID()), "own");

        await().until(() -> open.size() == 2);
        open.forEach(response -> response.end(WHOLE));
        assertThat(shared.await().statusCode()).isEqualTo(200);
        assertThat(own.await().statusCode()).isEqualTo(200);
    }

    @Test
    void who_has_another_to_ask_does_not_stop_at_a_full_provider(Vertx vertx, @TempDir Path folder) {
        start(vertx, folder, Duration.ofMillis(50), 100);
        door.provider.answer = open::add;
        var first = door.asking(door.token, DoorUnderTest.CHAT, "{\"model\":\"tight:m\"}");
        await().until(() -> open.size() == 1);

        var second = door.asking(door.token, DoorUnderTest.CHAT, "{\"model\":\"tight:m\"}");

        await().until(() -> open.size() == 2);
        open.forEach(response -> response.end(WHOLE));
        assertThat(first.await().statusCode()).isEqualTo(200);
        assertThat(second.await().getHeader("X-Molecule-Model")).isEqualTo("fake:m");
    }

    private Future<HttpResponse<Buffer>> narrow(String token, String user) {
        return door.asking(token, DoorUnderTest.CHAT, "{\"model\":\"narrow:m\",\"user\":\"" + user + "\"}");
    }

    private Future<HttpResponse<Buffer>> ask(ProxyUnderTest proxy, String body) {
        return proxy.client
                .post(DoorUnderTest.CHAT)
                .putHeader("Authorization", "Bearer " + door.token)
                .sendBuffer(Buffer.buffer(body));
    }

    private void waiting(int count) {
        await().until(
                        () -> door.proxy.client.get("/metrics").send().await().bodyAsString(),
                        text -> text.contains("molecule_model_calls_waiting " + count + ".0"));
    }
}
