package ai.molecule.common.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestConfig;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.handler.BodyHandler;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bodies of at most 1,000 bytes, room for 1,500 at a time. */
@ExtendWith(VertxExtension.class)
class ReceivingBodiesTest {

    private static final int BODY_MAX_BYTES = 1_000;
    private static final int ROOM_BYTES = 1_500;
    private static final Duration LONG = Duration.ofMinutes(5);

    private final AtomicInteger served = new AtomicInteger();

    @SuppressWarnings("NullAway.Init")
    private BodyBudget room;

    private int port;

    @Test
    void a_body_that_does_not_arrive_is_given_up_and_its_connection_closed(Vertx vertx) throws Exception {
        serve(vertx, Duration.ofMillis(1));

        try (var slow = sending(1_000, "half of it")) {
            String answer = new String(slow.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

            assertThat(answer).startsWith("HTTP/1.1 408 ").contains("the request took too long to arrive");
            assertThat(answer).as("nobody sends another request there").containsIgnoringCase("connection: close");
        }
        assertThat(served).hasValue(0);
    }

    @Test
    void who_finds_no_room_waits_until_another_is_gone(Vertx vertx) throws Exception {
        serve(vertx, LONG);
        var first = sending(1_000, "half of it");
        arriving(1);
        var second = sending(1_000, "x".repeat(1_000));
        arriving(2);
        var third = sending(500, "x".repeat(500));
        arriving(3);

        assertThat(served).hasValue(0); // in turn, so that a large one comes to its turn too
        first.close();

        assertThat(second.getInputStream().read()).isEqualTo('H');
        assertThat(third.getInputStream().read()).isEqualTo('H');
        assertThat(served).hasValue(2);
        arriving(0);
    }

    @Test
    void one_who_leaves_while_waiting_holds_nobody_up(Vertx vertx) throws Exception {
        serve(vertx, LONG);
        var first = sending(1_000, "half of it");
        arriving(1);
        var leaving = sending(1_000, "");
        arriving(2);
        leaving.close();
        arriving(1);
        var third = sending(1_000, "x".repeat(1_000));
        arriving(2);
        write(first, "x".repeat(990));

        assertThat(third.getInputStream().read()).isEqualTo('H');
        assertThat(served).hasValue(2);
    }

    @Test
    void a_body_of_unknown_length_counts_with_all_it_may_hold(Vertx vertx) throws Exception {
        serve(vertx, LONG);
        var chunked = new Socket(InetAddress.getLoopbackAddress(), port);
        write(chunked, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
        arriving(1);
        var second = sending(600, "x".repeat(600));
        arriving(2);
        write(chunked, "0\r\n\r\n");

        assertThat(second.getInputStream().read()).isEqualTo('H');
        assertThat(served).hasValue(2);
    }

    @Test
    void one_address_takes_a_quarter_of_the_room_and_leaves_the_rest_to_others(Vertx vertx) throws Exception {
        serve(vertx, LONG);
        List<Socket> slow = new ArrayList<>();
        for (int i = 1; i <= 6; i++) {
            slow.add(sending(300, "half of it"));
            arriving(i);
        }

        var other = sendingFrom("127.0.0.2", 600, "x".repeat(600));

        assertThat(other.getInputStream().read()).isEqualTo('H');
        assertThat(served).hasValue(1);
        for (var one : slow) {
            one.close();
        }
        arriving(0);
    }

    @Test
    void one_address_has_a_quarter_of_the_places_to_wait(Vertx vertx) throws Exception {
        serve(vertx, LONG);
        List<Socket> slow = new ArrayList<>();
        for (int i = 0; i <= 250; i++) {
            slow.add(sending(1_000, "half of it"));
        }
        arriving(251);

        try (var last = sending(1_000, "half of it")) {
            String answer = new String(last.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(answer)
                    .startsWith("HTTP/1.1 429 ")
                    .contains("\"too many of your requests are arriving — retry shortly\"")
                    .containsIgnoringCase("connection: close");
        }
        for (var one : slow) {
            one.close();
        }
    }

    private Socket sendingFrom(String address, int length, String part) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port, InetAddress.getByName(address), 0);
        socket.setSoTimeout(60_000);
        write(socket, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n" + part);
        return socket;
    }

    private void arriving(int bodies) {
        await().untilAsserted(() -> assertThat(room.arriving()).isEqualTo(bodies));
    }

    private Socket sending(int length, String part) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        write(socket, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n" + part);
        return socket;
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private void serve(Vertx vertx, Duration arrivalMax) {
        room = new BodyBudget(
                vertx,
                new Edge(TestConfig.platform("DATABASE_URL", "postgresql://u:p@127.0.0.1:1/none")),
                ROOM_BYTES,
                arrivalMax);
        var reader = BodyHandler.create(false).setBodyLimit(BODY_MAX_BYTES);
        var router = Router.router(vertx);
        router.route()
                .failureHandler(new ErrorResponses())
                .handler(ctx -> room.enter(ctx, BODY_MAX_BYTES, () -> reader.handle(ctx)))
                .handler(ctx -> {
                    room.leave(ctx);
                    served.incrementAndGet();
                    ctx.end();
                });
        port = vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .await()
                .actualPort();
    }
}
