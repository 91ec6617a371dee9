package ai.molecule.runtime.prompts;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A platform that answers what it was told to, 404 else, and tells events to whoever listens. */
final class EventfulPlatform implements AutoCloseable {

    final List<String> asked = new CopyOnWriteArrayList<>();
    final List<ServerWebSocket> listeners = new CopyOnWriteArrayList<>();
    final List<String> bearers = new CopyOnWriteArrayList<>();
    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final Vertx vertx = Vertx.vertx();
    private final HttpServer server;

    EventfulPlatform() throws Exception {
        server = vertx.createHttpServer().requestHandler(this::answer).webSocketHandler(socket -> {
            bearers.add(socket.headers().get("X-Workspace-ID") + " "
                    + socket.headers().get("Authorization"));
            listeners.add(socket);
            socket.closeHandler(closed -> listeners.remove(socket));
        });
        server.listen(0, "127.0.0.1").await(60, TimeUnit.SECONDS);
    }

    String url() {
        return "http://127.0.0.1:" + server.actualPort();
    }

    /** @param body 401 for everybody with a bearer when it begins with {@code !} */
    void on(String path, String body) {
        answers.put(path, body);
    }

    void tell(String event) {
        String message = "{\"event\":\"" + event + "\",\"workspace_id\":\"p\",\"payload\":{\"text\":\""
                + "x".repeat(9_000) + "\"}}";
        listeners.forEach(listener -> listener.writeTextMessage(message));
    }

    long askedFor(String path) {
        return asked.stream().filter(path::equals).count();
    }

    @Override
    public void close() throws Exception {
        vertx.close().await(60, TimeUnit.SECONDS);
    }

    private void answer(HttpServerRequest request) {
        asked.add(request.path());
        String body = answers.get(request.path());
        if (body == null) {
            request.response().setStatusCode(404).end("{\"error\":\"not found\"}");
        } else if (body.startsWith("!") && request.getHeader("Authorization") != null) {
            request.response().setStatusCode(401).end("{\"error\":\"invalid workspace auth token\"}");
        } else {
            request.response().end(body.startsWith("!") ? body.substring(1) : body);
        }
    }
}
