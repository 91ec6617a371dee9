package ai.molecule.proxy.frontdoor.previews;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.util.Locale;
import java.util.stream.Collectors;

/** A web server as an agent starts one: says what it was asked, with all headers, echoes on a WebSocket, begins answers that have no end, and ends with its input. */
public final class WebServerMain {

    private WebServerMain() {}

    public static void main(String[] arguments) throws IOException {
        var server = Vertx.vertx()
                .createHttpServer()
                .webSocketHandler(socket -> {
                    socket.writeTextMessage("welcome " + socket.path());
                    socket.textMessageHandler(socket::writeTextMessage);
                })
                .requestHandler(WebServerMain::answer)
                .listen(0, "127.0.0.1")
                .await();
        System.out.println(server.actualPort());
        System.in.transferTo(System.err);
        System.exit(0);
    }

    private static void answer(HttpServerRequest request) {
        if (request.path().equals("/endless")) {
            request.response()
                    .setChunked(true)
                    .putHeader("Content-Type", String.valueOf(request.getParam("type")))
                    .write("data: begun\n\n");
            return;
        }
        request.body()
                .onSuccess(body -> request.response()
                        .putHeader("Set-Cookie", "theirs=1")
                        .putHeader("Fly-Replay", "app=other")
                        .putHeader("X-Accel-Redirect", "/private")
                        .end("%s %s\n%s\n%s"
                                .formatted(
                                        request.method(),
                                        request.uri(),
                                        request.headers().entries().stream()
                                                .map(header -> header.getKey().toLowerCase(Locale.ROOT) + ": "
                                                        + header.getValue())
                                                .collect(Collectors.joining("\n")),
                                        body)));
    }
}
