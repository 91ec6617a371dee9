package ai.molecule.common.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.EmbeddedStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.embedded.RedisServer;

/** Redis away, and back: commands fail fast, and everything recovers without a restart of ours. */
@ExtendWith(VertxExtension.class)
class LosingRedisTest {

    @Test
    void commands_and_subscriptions_survive_a_restart_of_redis(Vertx vertx) throws IOException {
        // Given
        int port = EmbeddedStores.freePort();
        var server = start(port);
        var redis = new RedisStore(vertx, "redis://127.0.0.1:" + port);
        List<String> heard = new CopyOnWriteArrayList<>();
        redis.subscribe("news*", heard::add);
        await().ignoreExceptions().untilAsserted(() -> {
            publish(redis, "before");
            assertThat(heard).contains("before");
        });

        // When
        server.stop();
        long start = System.nanoTime();
        assertThatThrownBy(() -> redis.get("key").await());
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
        assertThat(redis.healthy()).isFalse();
        server = start(port);

        // Then
        await().ignoreExceptions().untilAsserted(() -> {
            publish(redis, "after");
            assertThat(heard).contains("after");
        });
        assertThat(redis.healthy()).isTrue();
        redis.close().await();
        server.stop();
    }

    private static void publish(RedisStore redis, String text) {
        redis.send(Request.cmd(Command.PUBLISH).arg("news.today").arg(text)).await();
    }

    private static RedisServer start(int port) throws IOException {
        var server = RedisServer.newRedisServer()
                .port(port)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .build();
        server.start();
        return server;
    }
}
