package ai.molecule.proxy;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.HELLO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.proxy.activity.ActivityLimits;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What was delivered is written down, however busy or absent the receiver. */
@ExtendWith(VertxExtension.class)
class StoppingTheProxyTest {

    @Test
    void rows_still_waiting_are_written_before_the_stop_is_done(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);
        var agent = proxy.agentSaying("{}");
        var release = proxy.platform.rows.hold();
        proxy.send(agent, HELLO);
        proxy.send(agent, HELLO);
        await().until(() -> proxy.platform.rows.held() > 0);

        var stopping = proxy.stopping();
        release.run();
        stopping.await();

        assertThat(proxy.platform.rows).hasSize(2);
    }

    @Test
    void a_full_buffer_slows_callers_and_every_call_is_written_down(Vertx vertx) {
        var proxy = ProxyUnderTest.start(
                vertx, config -> with(config, "activity", new ActivityLimits(2, 1 << 20, Duration.ofSeconds(30))));
        var agent = proxy.agentSaying("{}");
        var release = proxy.platform.rows.hold();
        proxy.send(agent, HELLO);
        proxy.send(agent, HELLO);

        var slowed = proxy.sending(agent, HELLO);
        assertThat(proxy.client.get("/health").send().await().statusCode()).isEqualTo(200);
        assertThat(slowed.isComplete()).isFalse();
        release.run();

        assertThat(slowed.await().statusCode()).isEqualTo(200);
        proxy.stopping().await();
        assertThat(proxy.platform.rows).hasSize(3);
    }

    @Test
    void a_call_still_at_its_agent_is_written_down_as_lost(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);
        var reached = new CompletableFuture<Boolean>();
        var slow = proxy.agent(request -> request.body().onSuccess(body -> reached.complete(true)));
        proxy.sending(slow, HELLO);
        reached.join();

        proxy.stopping().await();

        assertThat(proxy.platform.rows).hasSize(1);
        assertThat(proxy.platform.rows.getFirst().errorDetail()).isEqualTo("connection lost before an answer");
    }
}
