package ai.molecule.registry.liveness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.redis.RedisStore;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Liveness keys that expire, as the sweep hears of them. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class ExpiryNotificationsTest {

    @Test
    void an_expired_liveness_key_pokes_and_other_keys_do_not(Vertx vertx) {
        var redis = new RedisStore(vertx, TestStores.redisUrl());
        var pokes = new AtomicInteger();
        new ExpiryNotifications(redis).listen(pokes::incrementAndGet).await();

        await().untilAsserted(() -> {
            expire(redis, "ws:expiring");
            assertThat(pokes).hasPositiveValue();
        });
        int before = pokes.get();
        expire(redis, "ws:expiring:url");
        expire(redis, "ws:expiring");

        await().untilAsserted(() -> assertThat(pokes).hasValueGreaterThan(before));
        redis.close().await();
    }

    @Test
    void without_redis_the_sweep_does_without(Vertx vertx) {
        var redis = new RedisStore(vertx, "redis://127.0.0.1:" + TestStores.freePort());

        assertThat(new ExpiryNotifications(redis).listen(() -> {}).await()).isNull();

        redis.close().await();
    }

    private static void expire(RedisStore redis, String key) {
        redis.send(Request.cmd(Command.SET).arg(key).arg("online").arg("PX").arg(1))
                .await();
        redis.get(key).await();
    }
}
