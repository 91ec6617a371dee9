package ai.molecule.proxy.push;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static ai.molecule.proxy.ProxyUnderTest.urlOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.StandInPlatform;
import ai.molecule.testkit.Waits;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A proxy stops with a notification in its hands, and wakes up when another has long delivered it. */
@ExtendWith(VertxExtension.class)
class OutlivingAProxyThatTellsTest {

    @Test
    void another_proxy_tells_what_the_one_that_stopped_had_in_hand_and_each_change_once() {
        var others = Vertx.vertx();
        var own = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
        List<ProxyConfig> config = new CopyOnWriteArrayList<>();
        var state = new AtomicReference<>("working");
        var wake = new CountDownLatch(1);
        try {
            var stopped = ProxyUnderTest.start(
                    own,
                    given -> {
                        config.add(HastyPush.of(given));
                        return config.getFirst();
                    },
                    "MOLECULE_ENV",
                    "development");
            var agent = ProxyUnderTest.serve(
                    others,
                    request -> request.body()
                            .onSuccess(body -> json(
                                    request.response(),
                                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"kind\":\"task\",\"id\":\"t\",\"status\":{\"state\":\""
                                            + state.get() + "\"}}}")));
            var id = stopped.platform.workspaceAt(urlOf(agent));
            var told = Told.answering(others, (request, n) -> {
                if (n > 1) {
                    request.response().end();
                }
            });
            stopped.post(
                    "/workspaces/" + id + "/a2a",
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tasks/pushNotificationConfig/set\",\"params\":{\"taskId\":\"t\","
                            + "\"pushNotificationConfig\":{\"url\":\"" + told.url() + "\"}}}");
            await().until(() -> told.all.size() == 1);

            own.runOnContext(now -> stand(wake));
            var platform = new StandInPlatform(others);
            platform.put(id, urlOf(agent), true, WorkspaceStatus.ONLINE, false);
            ProxyUnderTest.start(others, platform, config.getFirst(), work -> work);
            told.awaitStates("working", "working");
            assertThat(told.all.get(1).number()).isEqualTo(told.all.get(0).number());
            state.set("completed");
            told.awaitStates("working", "working", "completed");

            wake.countDown();
            own.close().await();
            assertThat(told.states()).containsExactly("working", "working", "completed");
        } finally {
            wake.countDown();
            own.close().await();
            others.close().await();
        }
    }

    private static void stand(CountDownLatch latch) {
        try {
            latch.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
