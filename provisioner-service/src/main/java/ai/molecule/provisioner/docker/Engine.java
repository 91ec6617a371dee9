package ai.molecule.provisioner.docker;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One Docker Engine. Every call is bounded in time and in the size of its answer; one that the engine did not answer fails with
 * {@link EngineAway}. What it answered, whatever it was, is an {@link EngineAnswer}.
 */
final class Engine {

    static final Duration QUICK = Duration.ofSeconds(10);

    /** What a list of containers, an inspection or an error may hold. */
    static final int JSON_MAX_BYTES = 16 * 1024 * 1024;

    private static final Duration CONNECT = Duration.ofSeconds(2);
    private static final int CONNECTIONS = 32;
    private static final int WAITING = 2_000;

    /** Connections for waiting, one per container. The end of a container for which none is free is found by the sweep. */
    private static final int WAITS = 2_000;

    private static final Duration BUILD_MAX = Duration.ofMinutes(5);
    private static final Duration STREAM_IDLE = Duration.ofMinutes(2);

    /** Of what a long work says. */
    private static final int KEPT_MAX_BYTES = 4096;

    private static final Duration WAIT_MAX = Duration.ofDays(1);

    /** The newest version of the engine's API that we speak. An engine that only knows older ones is spoken to in its own. */
    private static final String NEWEST_KNOWN = "1.47";

    private final Vertx vertx;
    private final SocketAddress address;
    private final HttpClient client;
    private final HttpClient waiting;
    private final String socket;

    private volatile @Nullable String version;

    Engine(Vertx vertx, Path socket) {
        this.vertx = vertx;
        this.socket = socket.toString();
        this.address = SocketAddress.domainSocketAddress(this.socket);
        var options = new HttpClientOptions().setConnectTimeout((int) CONNECT.toMillis());
        this.client = vertx.createHttpClient(
                options, new PoolOptions().setHttp1MaxSize(CONNECTIONS).setMaxWaitQueueSize(WAITING));
        this.waiting = vertx.createHttpClient(
                options, new PoolOptions().setHttp1MaxSize(WAITS).setMaxWaitQueueSize(0));
    }

    /** The engine's address, for sentences that people read. */
    String socket() {
        return socket;
    }

    Future<EngineAnswer> get(String path) {
        return call(HttpMethod.GET, path, null, QUICK);
    }

    Future<EngineAnswer> post(String path, @Nullable JsonObject body) {
        return call(HttpMethod.POST, path, body, QUICK);
    }

    Future<EngineAnswer> delete(String path) {
        return call(HttpMethod.DELETE, path, null, QUICK.multipliedBy(3));
    }

    Future<EngineAnswer> call(HttpMethod method, String path, @Nullable JsonObject body, Duration timeout) {
        return send(
                client,
                method,
                path,
                "application/json",
                body == null ? null : body.toBuffer(),
                JSON_MAX_BYTES,
                timeout);
    }

    /** For tar archives in either direction. */
    Future<EngineAnswer> archive(HttpMethod method, String path, @Nullable Buffer tar, int answerMaxBytes) {
        return send(client, method, path, "application/x-tar", tar, answerMaxBytes, QUICK.multipliedBy(3));
    }

    /** Has an image made of a context; its base may have to be pulled first. */
    Future<EngineAnswer> build(String path, Buffer context) {
        return send(client, HttpMethod.POST, path, "application/x-tar", context, JSON_MAX_BYTES, BUILD_MAX);
    }

    /**
     * A long work that tells of itself: of what it says the end is kept.
     *
     * @param registryAuth for a registry; null for nobody in particular
     * @param silenceMax how long it may say nothing
     */
    Future<EngineAnswer> progress(String path, @Nullable String registryAuth, Duration silenceMax, Duration max) {
        return ping().compose(there -> client.request(
                        request(HttpMethod.POST, "/v" + spoken() + path).setIdleTimeout(silenceMax.toMillis())))
                .compose(request -> {
                    if (registryAuth != null) {
                        request.putHeader("X-Registry-Auth", registryAuth);
                    }
                    return request.send()
                            .compose(response -> last(response)
                                    .map(said -> new EngineAnswer(response.statusCode(), response.headers(), said)))
                            .timeout(max.toMillis(), TimeUnit.MILLISECONDS)
                            .onFailure(late -> request.reset());
                })
                .recover(failure -> Future.failedFuture(new EngineAway(socket, String.valueOf(failure.getMessage()))));
    }

    private static Future<Buffer> last(HttpClientResponse response) {
        Promise<Buffer> whole = Promise.promise();
        Buffer[] kept = {Buffer.buffer()};
        response.exceptionHandler(whole::tryFail);
        response.endHandler(end -> whole.tryComplete(kept[0]));
        response.handler(part -> {
            var now = kept[0].appendBuffer(part);
            kept[0] = now.getBuffer(Math.max(0, now.length() - KEPT_MAX_BYTES), now.length());
        });
        return whole.future();
    }

    private RequestOptions request(HttpMethod method, String uri) {
        return new RequestOptions()
                .setMethod(method)
                .setServer(address)
                .setHost("docker")
                .setPort(80)
                .setURI(uri)
                .setConnectTimeout(CONNECT.toMillis());
    }

    private String spoken() {
        String known = version;
        return known == null ? NEWEST_KNOWN : known;
    }

    /** An archive to be read as it comes: a paused answer of status 200, or none. Who asked reads or resets it. */
    Future<Optional<HttpClientResponse>> open(String path) {
        return ping().compose(there -> client.request(
                        request(HttpMethod.GET, "/v" + spoken() + path).setIdleTimeout(STREAM_IDLE.toMillis()))
                .compose(request -> request.send())
                .map(response -> {
                    if (response.statusCode() != 200) {
                        response.request().reset();
                        return Optional.empty();
                    }
                    response.pause();
                    return Optional.of(response);
                }));
    }

    /** Completes when the container does not run any more, or never did; fails when the engine went away meanwhile. */
    Future<Void> exitOf(String containerId) {
        return send(
                        waiting,
                        HttpMethod.POST,
                        "/containers/" + encode(containerId) + "/wait?condition=not-running",
                        "application/json",
                        null,
                        JSON_MAX_BYTES,
                        WAIT_MAX)
                .mapEmpty();
    }

    /** Fails when the engine does not answer within 2 s. */
    Future<Void> ping() {
        return exchange(client, HttpMethod.GET, "/_ping", "text/plain", null, 1024, CONNECT)
                .compose(answer -> answer.status() == 200
                        ? Future.succeededFuture()
                        : Future.failedFuture(new EngineAway(socket, "it answers " + answer.status())));
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Future<EngineAnswer> send(
            HttpClient through,
            HttpMethod method,
            String path,
            String type,
            @Nullable Buffer body,
            int answerMaxBytes,
            Duration timeout) {
        String known = version;
        var spoken = known == null ? askVersion() : Future.succeededFuture(known);
        return spoken.compose(
                agreed -> exchange(through, method, "/v" + agreed + path, type, body, answerMaxBytes, timeout));
    }

    private Future<String> askVersion() {
        return exchange(client, HttpMethod.GET, "/_ping", "text/plain", null, 1024, CONNECT)
                .map(answer -> spoken(answer.header("Api-Version")))
                .onSuccess(agreed -> version = agreed);
    }

    static String spoken(@Nullable String offered) {
        if (offered == null || !offered.matches("1\\.[0-9]{1,3}")) {
            return NEWEST_KNOWN;
        }
        return minor(offered) < minor(NEWEST_KNOWN) ? offered : NEWEST_KNOWN;
    }

    private static int minor(String version) {
        return Integer.parseInt(version.substring(version.indexOf('.') + 1));
    }

    private Future<EngineAnswer> exchange(
            HttpClient through,
            HttpMethod method,
            String uri,
            String type,
            @Nullable Buffer body,
            int answerMaxBytes,
            Duration timeout) {
        return through.request(request(method, uri))
                .compose(request -> {
                    var answered = answer(request, type, body, answerMaxBytes);
                    return answered.timeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                            .onFailure(late -> request.reset());
                })
                .recover(failure -> Future.failedFuture(
                        failure instanceof EngineAnswer.TooLarge
                                ? failure
                                : new EngineAway(socket, String.valueOf(failure.getMessage()))));
    }

    private static Future<EngineAnswer> answer(
            HttpClientRequest request, String type, @Nullable Buffer body, int maxBytes) {
        var responded = body == null
                ? request.send()
                : request.putHeader("Content-Type", type).send(body);
        return responded.compose(response -> whole(response, maxBytes)
                .map(received -> new EngineAnswer(response.statusCode(), response.headers(), received)));
    }

    private static Future<Buffer> whole(HttpClientResponse response, int maxBytes) {
        Promise<Buffer> whole = Promise.promise();
        var received = Buffer.buffer();
        response.exceptionHandler(whole::tryFail);
        response.endHandler(end -> whole.tryComplete(received));
        response.handler(part -> {
            if (received.length() + part.length() > maxBytes) {
                whole.tryFail(new EngineAnswer.TooLarge(maxBytes));
                response.request().reset();
            } else {
                received.appendBuffer(part);
            }
        });
        return whole.future();
    }

    Future<Void> pause(Duration time) {
        return vertx.timer(time.toMillis()).mapEmpty();
    }

    /** The engine could not be asked; nothing follows from that. */
    static final class EngineAway extends IOException {
        EngineAway(String socket, String reason) {
            super("the Docker engine at %s does not answer: %s".formatted(socket, reason));
        }
    }
}
