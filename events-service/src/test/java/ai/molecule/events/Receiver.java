package ai.molecule.events;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Somebody who is told over HTTP: a webhook, Slack or ntfy. It takes, refuses or lets hang what comes. */
final class Receiver {

    /** A request as it came. */
    record Told(String path, MultiMap headers, Buffer body) {

        JsonNode json() {
            return Json.stored(body.toString());
        }
    }

    private final List<Told> taken = new CopyOnWriteArrayList<>();
    private final List<Told> refused = new CopyOnWriteArrayList<>();
    private final HttpServer server;
    private volatile int status = 200;

    Receiver(Vertx vertx) {
        server = vertx.createHttpServer()
                .requestHandler(request -> request.body().onSuccess(body -> {
                    var told = new Told(request.path(), request.headers(), body);
                    int answer = status;
                    (answer == 200 ? taken : refused).add(told);
                    if (answer > 0) {
                        request.response().setStatusCode(answer).end();
                    }
                }))
                .listen(0, "127.0.0.1")
                .await();
    }

    String url(String path) {
        return "http://127.0.0.1:" + server.actualPort() + path;
    }

    /** @param next of all answers from now on; 0 for none at all */
    void answer(int next) {
        status = next;
    }

    /** What it answered 200 to. */
    List<Told> taken() {
        return taken;
    }

    List<Told> refused() {
        return refused;
    }
}
