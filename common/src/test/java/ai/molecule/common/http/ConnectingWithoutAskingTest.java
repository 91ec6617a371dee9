package ai.molecule.common.http;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.config.ConnectionLimits;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.WebSocketClient;
import io.vertx.ext.web.Router;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connections without a request cost their owner, not us. */
@ExtendWith(VertxExtension.class)
class ConnectingWithoutAskingTest {

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final long ENDLESS = 4L * 1024 * 1024 * 1024;
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final String ASKING = "GET /now HTTP/1.1\r\nHost: a\r\n\r\n";

    private int port;

    /** One that nobody holds closes itself. */
    @SuppressWarnings("NullAway.Init")
    private WebSocketClient client;

    @Test
    void who_sends_nothing_or_half_a_head_is_let_go(Vertx vertx) throws Exception {
        serve(vertx, new ConnectionLimits(SHORT, LONG, 100));

        for (String part : new String[] {"", "GET /now HTTP/1.1\r\nHost: a\r\nX: "}) {
            try (var socket = connect(part)) {
                assertThat(socket.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    @Test
    void who_was_answered_and_asks_no_more_is_let_go(Vertx vertx) throws Exception {
        serve(vertx, new ConnectionLimits(LONG, SHORT, 100));

        try (var socket = connect(ASKING)) {
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void an_answer_may_take_as_long_as_it_takes_and_a_websocket_may_be_silent(Vertx vertx) throws Exception {
        serve(vertx, new ConnectionLimits(LONG, SHORT, 100));
        var slow = connect("GET /later HTTP/1.1\r\nHost: a\r\n\r\n");
        client = vertx.createWebSocketClient();
        var socket = client.connect(port, "127.0.0.1", "/socket").await();
        var silent = connect(ASKING);
        assertThat(silent.getInputStream().readAllBytes()).isNotEmpty(); // so it was looked at meanwhile

        assertThat(slow.getInputStream().read()).isEqualTo('H');
        assertThat(socket.isClosed()).isFalse();
        socket.close().await();
        slow.close();
    }

    @Test
    void of_one_address_the_one_that_waits_longest_makes_room(Vertx vertx) throws Exception {
        serve(vertx, new ConnectionLimits(LONG, LONG, 2));
        var first = connect("");
        var second = connect("");
        var third = connect("");

        assertThat(first.getInputStream().read()).isEqualTo(-1);
        third.getOutputStream().write(ASKING.getBytes(StandardCharsets.US_ASCII));
        assertThat(third.getInputStream().read()).isEqualTo('H');
        second.getOutputStream().write(ASKING.getBytes(StandardCharsets.US_ASCII));
        assertThat(second.getInputStream().read()).isEqualTo('H');
    }

    @Test
    void who_goes_on_sending_behind_its_answer_is_let_go(Vertx vertx) throws Exception {
        serve(vertx, new ConnectionLimits(LONG, LONG, 100));
        byte[] piece = new byte[1024 * 1024];
        long sent = 0;

        try (var socket = connect("POST /now HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000000000\r\n\r\n")) {
            assertThat(socket.getInputStream().read()).isEqualTo('H');
            while (sent < ENDLESS) {
                socket.getOutputStream().write(piece);
                sent += piece.length;
            }
        } catch (IOException closed) {
            // as it should be
        }
        assertThat(sent).isLessThan(ENDLESS);
    }

    @Test
    void who_ends_soon_what_was_answered_already_may_ask_again(Vertx vertx) throws Exception {
        serve(vertx, new ConnectionLimits(LONG, LONG, 100));
        byte[] body = new byte[16 * 1024 * 1024];

        try (var socket = connect("POST /now HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length + "\r\n\r\n")) {
            assertThat(socket.getInputStream().read()).isEqualTo('H');
            socket.getOutputStream().write(body);
            socket.getOutputStream()
                    .write("GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .endsWith("last");
        }
    }

    private Socket connect(String part) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(60_000);
        socket.getOutputStream().write(part.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private void serve(Vertx vertx, ConnectionLimits limits) {
        var connections = new Connections(vertx, limits);
        var router = Router.router(vertx);
        router.route().handler(connections);
        router.route("/now").handler(ctx -> ctx.end("now"));
        router.get("/last").handler(ctx -> ctx.end("last"));
        router.get("/later").handler(ctx -> vertx.setTimer(2_500, late -> ctx.end("later")));
        router.get("/socket").handler(ctx -> {
            ctx.request().pause();
            ctx.request().toWebSocket();
        });
        port = vertx.createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(false))
                .connectionHandler(connections::opened)
                .requestHandler(router)
                .listen(0, "127.0.0.1")
                .await()
                .actualPort();
    }
}
