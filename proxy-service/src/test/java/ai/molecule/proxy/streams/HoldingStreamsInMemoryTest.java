package ai.molecule.proxy.streams;

import static ai.molecule.common.testing.Records.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Agents that leave streams open hold no more of a proxy's memory than they may. */
@ExtendWith(VertxExtension.class)
class HoldingStreamsInMemoryTest {

    private static final String INTERRUPTED = "stream interrupted: its events are too large for the room that is left";

    private final Queue<HttpServerResponse> open = new ConcurrentLinkedQueue<>();
    private final Queue<HttpServerResponse> openAtHog = new ConcurrentLinkedQueue<>();

    @Test
    void events_that_do_not_end_are_ended_where_they_are_largest_and_others_go_on(Vertx vertx) {
        var proxy = proxy(vertx, "eventsMaxBytes", 256L * 1024);
        var decent = agent(proxy, open, "data: {\"jsonrpc\":\"2.0\",");
        var hog = agent(proxy, openAtHog, "data: " + "x".repeat(40 * 1024));
        var decently = proxy.sending(decent, message("hi"));
        await().until(() -> open.size() == 1);

        List<Future<HttpResponse<Buffer>>> greedily = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            greedily.add(proxy.sending(hog, message("hi")));
        }

        await().until(() -> greedily.stream().filter(Future::succeeded).count() >= 3);
        assertThat(greedily.stream()
                        .filter(Future::succeeded)
                        .map(each -> each.result().bodyAsString()))
                .allSatisfy(body -> assertThat(body).contains(INTERRUPTED));
        open.remove().end("\"id\":\"1\",\"result\":{\"kind\":\"message\"}}\n\n");
        assertThat(decently.await().bodyAsString())
                .contains("\"kind\":\"message\"")
                .doesNotContain("interrupted");
    }

    @Test
    void a_last_event_that_stands_there_while_nothing_follows_counts_too(Vertx vertx) {
        var proxy = proxy(vertx, "eventsMaxBytes", 256L * 1024);
        var hog = agent(proxy, openAtHog, "data: \"" + "x".repeat(100 * 1024) + "\"\n\n");

        var first = proxy.sending(hog, message("hi"));
        await().until(() -> openAtHog.size() == 1);
        var second = proxy.sending(hog, message("hi"));

        await().until(() -> first.succeeded() || second.succeeded());
        assertThat((first.succeeded() ? first : second).result().bodyAsString()).contains(INTERRUPTED);
    }

    @Test
    void messages_that_are_answered_by_streams_keep_their_places_until_those_are_over(Vertx vertx) {
        var proxy = proxy(vertx, "callsMaxBytes", 256L * 1024);
        var agent = agent(proxy, open, ": hi\n\n");
        String large = message("x".repeat(40 * 1024));
        var first = proxy.sending(agent, large);
        await().until(() -> open.size() == 1);

        var refused = proxy.sending(agent, large).await();

        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.bodyAsString()).contains("too many messages are at this agent");
        open.remove().end("data: {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{\"kind\":\"message\"}}\n\n");
        first.await();
        var third = proxy.sending(agent, large);
        await().until(() -> !open.isEmpty());
        open.remove().end();
        assertThat(third.await().statusCode()).isEqualTo(200);
    }

    private static ProxyUnderTest proxy(Vertx vertx, String bound, long bytes) {
        return ProxyUnderTest.start(
                vertx,
                config -> with(config, "a2a", with(config.a2a(), Map.of(bound, bytes))),
                "DATABASE_URL",
                TestStores.freshDatabase());
    }

    /** Answers with an open stream that begins so. */
    private static UUID agent(ProxyUnderTest proxy, Queue<HttpServerResponse> streams, String begin) {
        return proxy.agent(request -> request.body().onSuccess(body -> {
            var response = request.response().setChunked(true).putHeader("Content-Type", "text/event-stream");
            response.write(begin);
            streams.add(response);
        }));
    }

    private static String message(String text) {
        return "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"message/stream\",\"params\":{\"message\":{\"kind\":\"message\","
                + "\"role\":\"user\",\"messageId\":\"" + UUID.randomUUID()
                + "\",\"parts\":[{\"kind\":\"text\",\"text\":\"" + text + "\"}]}}}";
    }
}
