package ai.molecule.proxy.a2a;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The sender's patience ends; the agent's work does not (decision 12). */
@ExtendWith(VertxExtension.class)
class AgentsThatTakeTimeTest {

    private static final String STILL_WORKING = "{\"error\":\"agent still working\",\"delivered\":true}";

    private final CompletableFuture<HttpServerRequest> reached = new CompletableFuture<>();

    @Test
    void past_its_wait_the_sender_is_told_that_work_goes_on_and_the_result_comes_live(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, config -> waiting(config, Duration.ofSeconds(1)));
        var slow = slowAgent(proxy);

        var response = proxy.send(slow, HELLO);

        assertThat(response.statusCode()).isEqualTo(504);
        assertThat(response.bodyAsJsonObject().encode())
                .isIn(STILL_WORKING, "{\"delivered\":true,\"error\":\"agent still working\"}");
        json(reached.join().response(), "{\"late\":true}");
        await().untilAsserted(() -> assertThat(proxy.platform.order).containsExactly("A2A_RESPONSE", "row ok"));
        assertThat(proxy.platform.rows.getFirst().responseBody()).isEqualTo("{\"late\":true}");
    }

    @Test
    void a_caller_names_its_own_wait_in_seconds(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);
        var slow = slowAgent(proxy);

        assertThat(proxy.send(slow, HELLO, "X-Timeout", "1").statusCode()).isEqualTo(504);
    }

    @Test
    void a_wait_that_is_no_number_counts_as_none(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, config -> waiting(config, Duration.ofSeconds(1)));
        var slow = slowAgent(proxy);

        assertThat(proxy.send(slow, HELLO, "X-Timeout", "soon").statusCode()).isEqualTo(504);
        assertThat(proxy.send(slow, HELLO, "X-Timeout", "0").statusCode()).isEqualTo(504);
    }

    @Test
    void a_workspace_that_calls_itself_waits_longer(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, config -> waiting(config, Duration.ofMillis(1)));
        var agent = proxy.agent(request ->
                request.body().onSuccess(body -> vertx.setTimer(100, later -> json(request.response(), "{}"))));

        assertThat(seen(proxy.send(agent, HELLO, "X-Workspace-ID", agent.toString())))
                .isEqualTo("200 {}");
    }

    @Test
    void an_agent_that_never_answers_is_given_up_and_written_down(Vertx vertx) {
        var proxy = ProxyUnderTest.start(
                vertx, config -> with(config, "a2a", with(config.a2a(), "upstream", Duration.ofMillis(150))));
        var slow = slowAgent(proxy);

        assertThat(proxy.send(slow, HELLO).statusCode()).isEqualTo(504);
        await().untilAsserted(() -> assertThat(proxy.platform.rows).hasSize(1));
        assertThat(proxy.platform.rows.getFirst().errorDetail())
                .isEqualTo("no answer within the time the platform waits");
    }

    private UUID slowAgent(ProxyUnderTest proxy) {
        return proxy.agent(request -> request.body().onSuccess(body -> reached.complete(request)));
    }

    private static ProxyConfig waiting(ProxyConfig config, Duration wait) {
        return with(config, "a2a", with(config.a2a(), "callerWait", wait));
    }
}
