package ai.molecule.cli.share;

import ai.molecule.common.config.ConnectionLimits;
import ai.molecule.common.http.Connections;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemKeyCertOptions;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Answers with TLS what the front door of this machine answers, sockets too, and tells it who asks and by which name, as a forwarder whom it
 * believes that and nothing else. What a client says of that itself is dropped. Connections that ask for nothing are closed.
 */
final class SharedDoor {

    /** Of phones and desks around this one. */
    private static final int CONNECTIONS_MAX = 500;

    /** As at the front door, and of one address no more than a fifth: some people sit behind one. */
    private static final ConnectionLimits LIMITS =
            new ConnectionLimits(Duration.ofSeconds(30), Duration.ofMinutes(2), CONNECTIONS_MAX / 5);

    /** The first one of a JVM takes seconds of processor time at both ends, more by far where others use it too. */
    private static final int HANDSHAKE_SECONDS = 60;

    /** Those of one connection (RFC 9110, 7.6.1), and what only we say. */
    private static final Set<String> NOT_PASSED_ON = lowerCase(
            "Host",
            "Connection",
            "Keep-Alive",
            "Proxy-Authenticate",
            "Proxy-Authorization",
            "Proxy-Connection",
            "TE",
            "Trailer",
            "Transfer-Encoding",
            "Upgrade",
            "Forwarded",
            "X-Forwarded-For",
            "X-Forwarded-Host",
            "X-Forwarded-Port",
            "X-Forwarded-Proto",
            "X-Molecule-Edge");

    private final HttpClientAgent client;
    private final HttpServer server;
    private final URI platform;
    private final String forwarderSecret;
    private final ServedNames served;
    private final Connections connections;

    /** Opened once it listens. */
    SharedDoor(
            Vertx vertx,
            URI platform,
            String forwarderSecret,
            ServedNames served,
            PemKeyCertOptions certificate,
            String bind,
            int port) {
        this(vertx, platform, forwarderSecret, served, certificate, bind, port, LIMITS);
    }

    SharedDoor(
            Vertx vertx,
            URI platform,
            String forwarderSecret,
            ServedNames served,
            PemKeyCertOptions certificate,
            String bind,
            int port,
            ConnectionLimits limits) {
        this.platform = platform;
        connections = new Connections(vertx, limits);
        this.forwarderSecret = forwarderSecret;
        this.served = served;
        client = vertx.createHttpClient(
                new HttpClientOptions().setDecompressionSupported(false).setMaxHeaderSize(64 * 1024),
                new PoolOptions().setHttp1MaxSize(CONNECTIONS_MAX).setMaxWaitQueueSize(CONNECTIONS_MAX));
        server = vertx.createHttpServer(new HttpServerOptions()
                        .setSsl(true)
                        .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
                        .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
                        .setKeyCertOptions(certificate)
                        .setUseAlpn(false)
                        .setMaxHeaderSize(64 * 1024))
                .connectionHandler(connection -> {
                    connections.opened(connection);
                    if (connections.count() > CONNECTIONS_MAX) {
                        connection.close();
                    }
                })
                .requestHandler(this::pass);
        server.listen(port, bind).await();
    }

    int port() {
        return server.actualPort();
    }

    private void pass(HttpServerRequest request) {
        if (!served.has(request)) {
            end(request, 421, "this host name is not served here; share with --host and that name");
            return;
        }
        request.pause();
        var answered = connections.underWay(request);
        request.response().endHandler(ended -> answered.run());
        boolean socket = "websocket".equalsIgnoreCase(request.getHeader("Upgrade"));
        client.request(new RequestOptions()
                        .setMethod(request.method())
                        .setHost(platform.getHost())
                        .setPort(platform.getPort())
                        .setURI(request.uri()))
                .compose(upstream -> {
                    request.response().exceptionHandler(gone -> upstream.reset());
                    headers(request, upstream.headers(), socket);
                    return socket ? tunnel(request, upstream) : exchange(request, upstream);
                })
                .onFailure(broken -> refuse(request));
    }

    private void headers(HttpServerRequest request, MultiMap headers, boolean socket) {
        copy(request.headers(), headers);
        headers.set("X-Molecule-Edge", forwarderSecret)
                .set("X-Forwarded-For", request.remoteAddress().hostAddress())
                .set("X-Forwarded-Proto", "https")
                .set("X-Forwarded-Host", String.valueOf(request.getHeader("Host")));
        if (socket) {
            headers.set("Connection", "Upgrade").set("Upgrade", "websocket");
        }
    }

    private static void copy(MultiMap from, MultiMap to) {
        from.forEach(header -> {
            if (!NOT_PASSED_ON.contains(header.getKey())) {
                to.add(header.getKey(), header.getValue());
            }
        });
    }

    private static Future<Void> exchange(HttpServerRequest request, HttpClientRequest upstream) {
        return upstream.send(request).compose(answer -> {
            var response = request.response().setStatusCode(answer.statusCode());
            copy(answer.headers(), response.headers());
            if (answer.getHeader("Content-Length") == null) {
                response.setChunked(true);
            }
            return passBack(answer, response);
        });
    }

    /** An answer that breaks off fails, and is cut: ended, as a pipe does by itself, it would look whole. */
    private static Future<Void> passBack(HttpClientResponse answer, HttpServerResponse response) {
        return answer.pipe().endOnFailure(false).to(response);
    }

    private static Future<Void> tunnel(HttpServerRequest request, HttpClientRequest upstream) {
        return upstream.connect().compose(answer -> {
            var response = request.response().setStatusCode(answer.statusCode());
            copy(answer.headers(), response.headers());
            if (answer.statusCode() != 101) {
                response.setChunked(answer.getHeader("Content-Length") == null);
                return passBack(answer, response);
            }
            response.headers().set("Connection", "Upgrade").set("Upgrade", "websocket");
            return joined(request, answer);
        });
    }

    private static Future<Void> joined(HttpServerRequest request, HttpClientResponse answer) {
        NetSocket behind = answer.netSocket();
        behind.pause();
        return request.toNetSocket().compose(before -> {
            before.closeHandler(gone -> behind.close());
            behind.closeHandler(gone -> before.close());
            before.pipeTo(behind);
            behind.pipeTo(before);
            return Future.succeededFuture();
        });
    }

    /** What was begun is cut: it would look whole. */
    private static void refuse(HttpServerRequest request) {
        var response = request.response();
        if (response.headWritten()) {
            request.connection().close();
        } else if (!response.ended()) {
            end(request, 502, "the platform does not answer");
        }
    }

    private static void end(HttpServerRequest request, int status, String error) {
        request.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .end(new JsonObject().put("error", error).encode());
    }

    private static Set<String> lowerCase(String... names) {
        var set = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        set.addAll(Set.of(names));
        return set;
    }
}
