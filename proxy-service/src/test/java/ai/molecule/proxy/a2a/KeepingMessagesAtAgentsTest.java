package ai.molecule.proxy.a2a;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.activity.ActivityLimits;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What agents that never answer may hold of the proxy's memory: 840,000 bytes here, of which each has a quarter. */
@ExtendWith(VertxExtension.class)
class KeepingMessagesAtAgentsTest {

    private static final String LARGE =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"x\":\"%s\"}}"
                    .formatted("x".repeat(190 * 1024));

    @Test
    void beyond_the_budget_messages_are_refused_until_one_has_ended(Vertx vertx) {
        var proxy = ProxyUnderTest.start(
                vertx, config -> with(config, "a2a", with(config.a2a(), "callsMaxBytes", 840_000L)));
        List<HttpServerRequest> held = new CopyOnWriteArrayList<>();
        List<UUID> silent = new ArrayList<>();
        List<Future<HttpResponse<Buffer>>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) { // the client has five connections
            silent.add(proxy.agent(request -> request.body().onSuccess(body -> held.add(request))));
        }
        for (int i = 0; i < 3; i++) {
            waiting.add(proxy.sending(silent.get(i), LARGE));
        }
        await().until(() -> held.size() == 3);

        var shared = proxy.send(silent.getFirst(), LARGE);
        assertThat(shared.statusCode()).isEqualTo(503);
        assertThat(shared.getHeader("Retry-After")).isEqualTo("2");
        assertThat(shared.bodyAsString()).contains("too many messages are at this agent");

        waiting.add(proxy.sending(silent.getLast(), LARGE));
        await().until(() -> held.size() == 4);
        var other = proxy.agentSaying("{}");
        assertThat(seen(proxy.send(other, LARGE))).startsWith("503 ").contains("too many messages are at their agents");
        assertThat(seen(proxy.send(other, HELLO))).isEqualTo("200 {}");

        ProxyUnderTest.json(held.getFirst().response(), "{}");
        await().until(() -> waiting.stream().anyMatch(Future::isComplete));
        assertThat(seen(proxy.send(other, LARGE))).isEqualTo("200 {}");
        held.stream().skip(1).forEach(request -> request.response().end());
    }

    @Test
    void when_nothing_fits_a_body_is_not_even_read(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, config -> with(config, "a2a", with(config.a2a(), "callsMaxBytes", 1L)));

        assertThat(seen(proxy.send(proxy.agentSaying("{}"), "no JSON"))).startsWith("503 ");
    }

    @Test
    void answers_that_are_being_read_hold_others_back_which_are_told_after_a_while(Vertx vertx) {
        var proxy = ProxyUnderTest.start(
                vertx, config -> with(config, "activity", new ActivityLimits(1000, 2000, Duration.ofMillis(200))));
        List<HttpServerRequest> held = new CopyOnWriteArrayList<>();
        var slow = proxy.agent(request -> {
            request.response().setChunked(true).write("\"" + "x".repeat(1500));
            held.add(request);
        });
        var quick = proxy.agentSaying("\"" + "y".repeat(1000) + "\"");
        var answer = proxy.sending(slow, HELLO);

        await().until(() -> proxy.send(quick, HELLO).statusCode() == 503);
        var refused = proxy.send(quick, HELLO);
        assertThat(seen(refused)).startsWith("503 ").contains("no room for the agent's answer", "\"delivered\":true");
        assertThat(refused.getHeader("Retry-After")).isEqualTo("2");

        held.forEach(request -> request.response().end("\""));
        assertThat(answer.await().statusCode()).isEqualTo(200);
        await().until(() -> proxy.send(quick, HELLO).statusCode() == 200);
    }
}
