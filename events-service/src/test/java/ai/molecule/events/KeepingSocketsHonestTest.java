package ai.molecule.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import ai.molecule.testkit.Kept;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Clients that stop reading, fall silent or talk too much. */
@ExtendWith(VertxExtension.class)
class KeepingSocketsHonestTest {

    private static final UUID WORKSPACE = UUID.randomUUID();

    @Test
    void a_client_that_stops_reading_is_told_so_and_the_others_miss_nothing(Vertx vertx) {
        // Given
        var service = EventsFixture.start(vertx);
        var slow = service.canvas("");
        var quick = service.canvas("");
        slow.socket.pause();

        // When
        for (int number = 0; number < 20; number++) { // far more than the buffers of the system hold
            liveOf(service, 1_000_000, number);
            int expected = number + 1;
            await().pollInterval(Duration.ofMillis(5)).until(() -> quick.heard.size() == expected);
        }
        slow.socket.resume();

        // Then
        assertThat(slow.closed.orTimeout(60, TimeUnit.SECONDS).join())
                .isEqualTo("1013 the client reads too slowly, reconnect with since");
        assertThat(slow.heard.size()).isLessThan(20);
        assertThat(slow.heard).isEqualTo(quick.heard.subList(0, slow.heard.size())); // cut, but never with a hole
        assertThat(quick.socket.isClosed()).isFalse();
    }

    @Test
    void one_large_event_alone_disconnects_nobody(Vertx vertx) {
        var service = EventsFixture.start(vertx);
        var canvas = service.canvas("");

        liveOf(service, 8_000_000, 0);
        liveOf(service, 1_000, 1);

        await().until(() -> canvas.heard.size() == 2);
        assertThat(canvas.socket.isClosed()).isFalse();
    }

    @Test
    void a_client_that_answers_pings_stays(Vertx vertx) {
        var service = EventsFixture.start(vertx, Organisation.on(vertx), EventsFixture.quick(20, 3_000));
        var canvas = service.canvas("");
        var longer = new CompletableFuture<Void>();
        vertx.setTimer(4_000, later -> longer.complete(null)); // than one may be silent

        longer.join();

        assertThat(canvas.socket.isClosed()).isFalse();
    }

    @Test
    void a_client_that_answers_no_ping_is_disconnected(Vertx vertx) {
        // Given
        var service = EventsFixture.start(vertx, Organisation.on(vertx), EventsFixture.quick(20, 60));
        var received = new CompletableFuture<String>();

        // When
        rawSocket(vertx, service, bytes -> {
            String text = bytes.toString("ISO-8859-1");
            if (text.contains("no pong within 60 s")) {
                received.complete(text);
            }
        });

        // Then: close frame, code 4001
        assertThat(received.orTimeout(60, TimeUnit.SECONDS).join())
                .contains("\u0088\u0015\u000f\u00a1no pong within 60 s");
    }

    @Test
    void what_a_client_sends_is_ignored_and_too_much_at_once_ends_it(Vertx vertx) {
        var service = EventsFixture.start(vertx);
        var chatty = service.canvas("");
        var flooding = service.canvas("");

        chatty.socket.writeTextMessage("hello").await();
        chatty.socket.writeBinaryMessage(Buffer.buffer(new byte[60_000])).await();
        flooding.socket.writeFrame(
                io.vertx.core.http.WebSocketFrame.binaryFrame(Buffer.buffer(new byte[200_000]), true));
        service.live("STILL_HERE", WORKSPACE);

        await().until(() -> chatty.types().equals(java.util.List.of("STILL_HERE")));
        await().until(flooding.closed::isDone);
        assertThat(chatty.socket.isClosed()).isFalse();
    }

    /** A client that shakes hands and then answers nothing. */
    private static void rawSocket(Vertx vertx, EventsFixture service, Handler<Buffer> handler) {
        var socket = Kept.kept(vertx.createNetClient())
                .connect(service.port, "127.0.0.1")
                .onSuccess(connected -> connected.handler(handler))
                .await();
        socket.write("GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                .await();
    }

    private static void liveOf(EventsFixture service, int bytes, int number) {
        var payload = Json.object().put("number", number).put("text", "x".repeat(bytes));
        new LiveEvent("A2A_RESPONSE", WORKSPACE, Instant.now(), payload).publishOn(service.bus);
    }
}
