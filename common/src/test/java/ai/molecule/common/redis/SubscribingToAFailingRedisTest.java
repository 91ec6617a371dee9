package ai.molecule.common.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetSocket;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A Redis that breaks connections off just when they are subscribed. */
@ExtendWith(VertxExtension.class)
class SubscribingToAFailingRedisTest {

    private static final int BROKEN_OFF = 3;

    private final AtomicInteger subscriptions = new AtomicInteger();
    private final Set<NetSocket> connections = ConcurrentHashMap.newKeySet();
    private final List<NetSocket> subscribed = new CopyOnWriteArrayList<>();

    @Test
    void one_subscription_stays_one_however_often_it_breaks(Vertx vertx) {
        var server = vertx.createNetServer()
                .connectHandler(this::serve)
                .listen(0, "127.0.0.1")
                .await();
        var redis = new RedisStore(vertx, "redis://127.0.0.1:" + server.actualPort());
        List<String> heard = new CopyOnWriteArrayList<>();

        redis.subscribe("news*", heard::add);
        await().until(() -> !subscribed.isEmpty());

        await().during(Duration.ofSeconds(2)).until(() -> subscribed.size() == 1);
        subscribed.forEach(SubscribingToAFailingRedisTest::tell);
        await().until(() -> heard.equals(List.of("hello")));
        assertThat(connections).hasSize(1);
        redis.close().await();
        await().until(connections::isEmpty);
    }

    private void serve(NetSocket socket) {
        connections.add(socket);
        socket.closeHandler(closed -> connections.remove(socket));
        socket.handler(sent -> {
            String command = sent.toString().toUpperCase(Locale.ROOT);
            if (!command.contains("PSUBSCRIBE")) {
                socket.write(command.contains("PING") ? "+PONG\r\n" : "-ERR unknown command\r\n");
            } else if (subscriptions.incrementAndGet() <= BROKEN_OFF) {
                socket.close();
            } else {
                socket.write("*3\r\n$10\r\npsubscribe\r\n$5\r\nnews*\r\n:1\r\n");
                subscribed.add(socket);
            }
        });
    }

    private static void tell(NetSocket subscriber) {
        subscriber.write("*4\r\n$8\r\npmessage\r\n$5\r\nnews*\r\n$10\r\nnews.today\r\n$5\r\nhello\r\n");
    }
}
