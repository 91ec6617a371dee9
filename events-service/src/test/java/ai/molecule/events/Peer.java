package ai.molecule.events;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A WebSocket client that keeps what it hears. */
final class Peer {

    /** With a receive buffer of its own size, so that the system does not take over what a peer that stops reading leaves. */
    private static final WebSocketClientOptions OPTIONS =
            new WebSocketClientOptions().setMaxMessageSize(16 * 1024 * 1024).setReceiveBufferSize(256 * 1024);

    final WebSocketClient client;
    final WebSocket socket;
    final List<String> heard = new CopyOnWriteArrayList<>();
    final CompletableFuture<String> closed = new CompletableFuture<>();

    private Peer(WebSocketClient client, WebSocket socket) {
        this.client = client;
        this.socket = socket;
    }

    static Peer connect(EventsFixture service, WebSocketConnectOptions options) {
        var client = service.vertx.createWebSocketClient(OPTIONS);
        options.setHost("127.0.0.1").setPort(service.port);
        // paused while it is handed from the event loop to the test, so that no frame is missed
        var socket = client.connect(options)
                .map(connected -> {
                    connected.pause();
                    return connected;
                })
                .await();
        var peer = new Peer(client, socket);
        socket.textMessageHandler(peer.heard::add);
        socket.closeHandler(gone -> peer.closed.complete(socket.closeStatusCode() + " " + socket.closeReason()));
        socket.resume();
        return peer;
    }

    List<JsonNode> events() {
        return heard.stream().map(Json::stored).toList();
    }

    /** Types in the order they came. */
    List<String> types() {
        return events().stream().map(event -> event.path("event").asText()).toList();
    }

    /** Recorded events as the table lists them: position and type. */
    List<String> recorded() {
        return events().stream()
                .filter(event -> event.has("seq"))
                .map(event ->
                        event.path("seq").asLong() + " " + event.path("event").asText())
                .toList();
    }
}
