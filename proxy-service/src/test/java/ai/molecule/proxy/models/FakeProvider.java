package ai.molecule.proxy.models;

import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A provider of models on a free port: says what a test wants, remembers what it was asked. */
final class FakeProvider {

    /** A request as it arrived. */
    record Asked(String uri, MultiMap headers, String body) {}

    final List<Asked> asked = new CopyOnWriteArrayList<>();
    volatile Consumer<HttpServerResponse> answer = response -> response.end("{}");
    private final HttpServer server;

    FakeProvider(Vertx vertx) {
        server = ProxyUnderTest.serve(vertx, this::take);
    }

    String url() {
        return ProxyUnderTest.urlOf(server);
    }

    void saysWhole(String body) {
        answer = response ->
                response.putHeader("Content-Type", "application/json").end(body);
    }

    void saysEvents(String... events) {
        answer = response -> {
            events(response);
            for (String event : events) {
                response.write(event);
            }
            response.end();
        };
    }

    static void events(HttpServerResponse response) {
        response.setChunked(true).putHeader("Content-Type", "text/event-stream");
    }

    private void take(HttpServerRequest request) {
        request.body().onSuccess((Buffer body) -> {
            asked.add(new Asked(request.uri(), request.headers(), body.toString()));
            answer.accept(request.response());
        });
    }
}
