package ai.molecule.common.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.embedded.RedisServer;

/** Redis away, and back: commands fail fast, and everything recovers without a restart of ours. */
@ExtendWith(VertxExtension.class)
class LosingRedisTest {

    @Test
    void commands_and_subscriptions_survive_a_restart_of_redis(Vertx vertx) throws IOException {
        // Given
        int port = TestStores.freePort();
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
        assertThatThrownBy(() -> redis.get("key").await());
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

    @Test
    void a_redis_that_hangs_costs_one_command_a_wait_and_the_others_none(Vertx vertx) {
        var taken = new AtomicInteger();
        var server = vertx.createNetServer()
                .connectHandler(socket -> socket.handler(sent -> taken.incrementAndGet()))
                .listen(0, "127.0.0.1")
                .await();
        var redis = new RedisStore(vertx, "redis://127.0.0.1:" + server.actualPort());
        assertThatThrownBy(() -> redis.get("key").await());
        await().until(() -> !refusedAtOnce(redis));

        // the probe of the last line is under way, or has just failed: of all who come before the next is due none
        // waits
        long start = System.nanoTime();
        int waiting = 0;
        for (int i = 0; i < 100; i++) {
            waiting += refusedAtOnce(redis) ? 0 : 1;
        }
        long pauses = (System.nanoTime() - start)
                / Duration.ofMillis(RedisStore.PAUSE_MILLIS).toNanos();
        assertThat(waiting).isLessThanOrEqualTo((int) pauses + 1);
        redis.close().await();
        server.close().await();
    }

    @Test
    void an_error_reply_is_no_absence(Vertx vertx) {
        var redis = new RedisStore(vertx, TestStores.redisUrl());

        // the first command also connects, for which its time may be short
        await().ignoreExceptions()
                .until(() -> redis.delete(List.of("error-reply")).map(true).await());
        redis.send(Request.cmd(Command.SET).arg("error-reply").arg("no number")).await();
        assertThatThrownBy(() ->
                        redis.send(Request.cmd(Command.INCR).arg("error-reply")).await())
                .hasMessageContaining("not an integer");

        assertThat(redis.healthy()).isTrue();
        assertThat(redis.get("error-reply").await()).isEqualTo("no number");
        redis.close().await();
    }

    @Test
    void without_redis_every_command_fails_at_once_and_nothing_is_missed(Vertx vertx) {
        var redis = new RedisStore(vertx, null);

        assertThat(redis.get("key").failed()).isTrue();
        redis.subscribe("news*", text -> {});
        assertThat(redis.isPresent()).isFalse();
        assertThat(redis.healthy()).isTrue();
        redis.close().await();
    }

    private static boolean refusedAtOnce(RedisStore redis) {
        return redis.get("key").failed();
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
