package ai.molecule.proxy.frontdoor;

import static ai.molecule.common.testing.Records.with;
import static ai.molecule.proxy.ProxyUnderTest.urlOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.testkit.Kept;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code /ws} is the events service's: the handshake is answered there, frames go both ways, closing reaches both sides. */
@ExtendWith(VertxExtension.class)
class WebSocketsThroughTheFrontDoorTest {

    /** Held, because a client nobody refers to closes its connections. */
    private final List<WebSocketClient> clients = new ArrayList<>();

    private final CompletableFuture<ServerWebSocket> owner = new CompletableFuture<>();

    @Test
    void frames_go_both_ways_in_order_from_the_first(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "EVENTS_URL", urlOf(echoing(vertx)));
        List<String> heard = new CopyOnWriteArrayList<>();

        connect(vertx, proxy, "/ws?x=1", heard);
        var client = connect(vertx, proxy, "/ws", heard);
        client.writeTextMessage("one");
        client.writeTextMessage("x".repeat(60_000));

        await().untilAsserted(
                        () -> assertThat(heard).contains("welcome /ws", "welcome /ws?x=1", "one", "x".repeat(60_000)));
        assertThat(heard.indexOf("one")).isLessThan(heard.indexOf("x".repeat(60_000)));
    }

    @Test
    void closing_one_side_closes_the_other(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "EVENTS_URL", urlOf(echoing(vertx)));
        var client = connect(vertx, proxy, "/ws", new CopyOnWriteArrayList<>());
        var ownerClosed = new CompletableFuture<Void>();
        owner.join().closeHandler(ownerClosed::complete);

        client.close();

        assertThat(ownerClosed).succeedsWithin(Duration.ofSeconds(60));
    }

    @Test
    void an_owner_that_dies_closes_the_client(Vertx vertx) {
        var server = echoing(vertx);
        var proxy = ProxyUnderTest.start(vertx, "EVENTS_URL", urlOf(server));
        var client = connect(vertx, proxy, "/ws", new CopyOnWriteArrayList<>());
        var clientClosed = new CompletableFuture<Void>();
        client.closeHandler(clientClosed::complete);

        server.close().await();

        assertThat(clientClosed).succeedsWithin(Duration.ofSeconds(60));
    }

    @Test
    void a_front_door_that_stops_tells_the_client_to_come_back(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "EVENTS_URL", urlOf(echoing(vertx)));
        List<String> heard = new CopyOnWriteArrayList<>();
        var client = connect(vertx, proxy, "/ws", heard);
        await().until(() -> heard.contains("welcome /ws"));

        proxy.stopping().await();

        await().until(client::isClosed);
        assertThat(client.closeStatusCode()).isEqualTo((short) 1001);
    }

    @Test
    void a_refused_handshake_comes_back_as_the_owner_said_it(Vertx vertx) {
        var refusing = ProxyUnderTest.serve(
                vertx, request -> request.response().setStatusCode(401).end("{\"error\":\"missing\"}"));
        var proxy = ProxyUnderTest.start(vertx, "EVENTS_URL", urlOf(refusing));

        assertThatThrownBy(() -> connect(vertx, proxy, "/ws", new CopyOnWriteArrayList<>()))
                .isInstanceOfSatisfying(UpgradeRejectedException.class, refused -> {
                    assertThat(refused.getStatus()).isEqualTo(401);
                    assertThat(refused.getBody()).hasToString("{\"error\":\"missing\"}");
                });
    }

    /** As a browser does that leaves its page: the owner's answer then has nobody to go to. */
    @Test
    void who_leaves_while_it_is_refused_frees_the_owner_and_is_no_failure_of_ours(Vertx vertx) {
        List<Throwable> unforeseen = new CopyOnWriteArrayList<>();
        vertx.exceptionHandler(unforeseen::add);
        var freed = new CompletableFuture<Void>();
        var refusing = ProxyUnderTest.serve(vertx, request -> {
            var response = request.response().setStatusCode(401).setChunked(true);
            response.closeHandler(freed::complete);
            response.write("{");
            vertx.setPeriodic(5, turn -> {
                if (freed.isDone() || response.closed()) {
                    vertx.cancelTimer(turn);
                } else {
                    response.write(" ");
                }
            });
        });
        var proxy = ProxyUnderTest.start(vertx, "EVENTS_URL", urlOf(refusing));

        var client = Kept.kept(vertx.createNetClient())
                .connect(proxy.port, "127.0.0.1")
                .await();
        var refused = new CompletableFuture<Void>();
        client.handler(head -> refused.complete(null));
        client.write("GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        refused.join();
        client.close();

        assertThat(freed).succeedsWithin(Duration.ofSeconds(60));
        assertThat(unforeseen).isEmpty();
    }

    @Test
    void an_owner_that_is_down_is_unavailable(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx, "EVENTS_URL", "http://127.0.0.1:1");

        assertThatThrownBy(() -> connect(vertx, proxy, "/ws", new CopyOnWriteArrayList<>()))
                .isInstanceOfSatisfying(
                        UpgradeRejectedException.class,
                        refused -> assertThat(refused.getStatus()).isEqualTo(503));
    }

    /** As on a machine that vanished: nobody closes anything. */
    @Test
    void an_owner_that_sends_nothing_for_too_long_is_let_go_and_the_client_told_to_come_back(Vertx vertx) {
        var proxy = ProxyUnderTest.start(
                vertx,
                config -> with(config, "frontDoor", new FrontDoorLimits(Duration.ofMillis(500))),
                "EVENTS_URL",
                urlOf(echoing(vertx)));
        var client = connect(vertx, proxy, "/ws", new CopyOnWriteArrayList<>());
        var clientClosed = new CompletableFuture<Void>();
        client.closeHandler(clientClosed::complete);
        var ownerClosed = new CompletableFuture<Void>();
        owner.join().closeHandler(ownerClosed::complete);

        assertThat(clientClosed).succeedsWithin(Duration.ofSeconds(60));
        assertThat(ownerClosed).succeedsWithin(Duration.ofSeconds(60));
        assertThat(client.closeStatusCode()).isEqualTo((short) 1001);
    }

    @Test
    void a_client_that_leaves_during_the_handshake_frees_the_owner(Vertx vertx) {
        var asked = new CompletableFuture<NetSocket>();
        var freed = new CompletableFuture<Void>();
        var hub = vertx.createNetServer()
                .connectHandler(socket -> {
                    socket.closeHandler(freed::complete);
                    socket.handler(head -> asked.complete(socket));
                })
                .listen(0, "127.0.0.1")
                .await();
        var proxy = ProxyUnderTest.start(vertx, "EVENTS_URL", "http://127.0.0.1:" + hub.actualPort());
        var client = Kept.kept(vertx.createNetClient())
                .connect(proxy.port, "127.0.0.1")
                .await();
        client.write("GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
        asked.join();

        client.close().await();
        proxy.client.get("/health").send().await(); // behind which the proxy knows that it left
        asked.join().write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");

        assertThat(freed).succeedsWithin(Duration.ofSeconds(60));
    }

    private HttpServer echoing(Vertx vertx) {
        return vertx.createHttpServer()
                .webSocketHandler(socket -> {
                    owner.complete(socket);
                    String query = socket.query() == null ? "" : "?" + socket.query();
                    socket.writeTextMessage("welcome " + socket.path() + query);
                    socket.textMessageHandler(socket::writeTextMessage);
                })
                .listen(0, "127.0.0.1")
                .await();
    }

    private WebSocket connect(Vertx vertx, ProxyUnderTest proxy, String uri, List<String> heard) {
        clients.add(vertx.createWebSocketClient());
        var connecting = clients.getLast().webSocket();
        connecting.textMessageHandler(heard::add);
        return connecting
                .connect(new WebSocketConnectOptions()
                        .setHost("127.0.0.1")
                        .setPort(proxy.port)
                        .setURI(uri))
                .await();
    }
}
