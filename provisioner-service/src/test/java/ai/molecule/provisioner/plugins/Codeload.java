package ai.molecule.provisioner.plugins;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands in for the server that makes archives of repositories. */
final class Codeload {

    private final HttpServer server;
    private final Map<String, Handler<HttpServerRequest>> answers = new ConcurrentHashMap<>();
    final List<String> requests = new CopyOnWriteArrayList<>();

    Codeload(Vertx vertx) {
        server = vertx.createHttpServer()
                .requestHandler(request -> {
                    requests.add(request.path());
                    answers.getOrDefault(
                                    request.path(),
                                    unknown -> unknown.response()
                                            .setStatusCode(404)
                                            .end())
                            .handle(request);
                })
                .listen(0, "127.0.0.1")
                .await();
    }

    String url() {
        return "http://127.0.0.1:" + server.actualPort();
    }

    void serve(String path, byte[] archive) {
        serve(path, request -> request.response().end(Buffer.buffer(archive)));
    }

    void serve(String path, Handler<HttpServerRequest> answer) {
        answers.put(path, answer);
    }
}
