package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Standing;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.testing.TestConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** When a load balancer, or a roll-out, may count on one that shows events. */
@ExtendWith(VertxExtension.class)
class BecomingReadyTest {

    @Test
    void a_replica_that_never_reached_the_registry_is_not_ready_and_one_that_did_stays_so(Vertx vertx) {
        var events = new EventsVerticle(EventsConfig.fromEnv(TestConfig.env()));
        vertx.deployVerticle(events).await();
        assertThat(ready(vertx, events)).isEqualTo(503);

        var dead = new AtomicBoolean();
        new Bus(vertx)
                .serve(
                        VerifyToken.CONTRACT,
                        asked -> dead.get()
                                ? Future.failedFuture("dead")
                                : Future.succeededFuture(
                                        new Verdict(Holder.NOBODY, null, null, Standing.ADMITTED, null, false, false)))
                .await();
        await().until(() -> ready(vertx, events) == 200);
        dead.set(true);

        assertThat(ready(vertx, events)).isEqualTo(200);
    }

    private static int ready(Vertx vertx, EventsVerticle events) {
        return WebClient.create(vertx)
                .get(events.actualPort(), "127.0.0.1", "/ready")
                .send()
                .await()
                .statusCode();
    }
}
