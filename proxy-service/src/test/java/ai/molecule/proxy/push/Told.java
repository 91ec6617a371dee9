package ai.molecule.proxy.push;

import static ai.molecule.proxy.ProxyUnderTest.urlOf;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.ProxyUnderTest;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

/** A receiver of push notifications, as somebody runs one: a real server that keeps what it is told. */
final class Told {

    /** What came in. */
    record Notification(MultiMap headers, JsonNode body) {

        String state() {
            JsonNode task = body.path("task").isObject() ? body.path("task") : body;
            return task.path("status").path("state").asText();
        }

        String number() {
            return headers.get("X-Molecule-Notification");
        }
    }

    final List<Notification> all = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    private Told(Vertx vertx, BiConsumer<HttpServerRequest, Integer> answer) {
        server = ProxyUnderTest.serve(
                vertx,
                request -> request.body().onSuccess(body -> {
                    all.add(new Notification(request.headers(), Json.stored(body.toString())));
                    answer.accept(request, all.size());
                }));
    }

    /** @param answer gets each request and how many there were, this one included */
    static Told answering(Vertx vertx, BiConsumer<HttpServerRequest, Integer> answer) {
        return new Told(vertx, answer);
    }

    /** With the first of these statuses, then the second, and so on; the last one for all that follow. */
    static Told answering(Vertx vertx, int... statuses) {
        return new Told(
                vertx,
                (request, n) -> request.response()
                        .setStatusCode(statuses[Math.min(n, statuses.length) - 1])
                        .end());
    }

    String url() {
        return urlOf(server) + "/told";
    }

    void stop() {
        server.close().await();
    }

    List<String> states() {
        return all.stream().map(Notification::state).toList();
    }

    void awaitStates(String... states) {
        await().until(() -> states().equals(List.of(states)));
    }
}
