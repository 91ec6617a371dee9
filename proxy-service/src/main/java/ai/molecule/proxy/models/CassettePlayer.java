package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Tokens;
import ai.molecule.proxy.models.Cassette.Answer;
import ai.molecule.proxy.models.Cassette.Piece;
import ai.molecule.proxy.streams.SseSplitter;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.RequestOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands between the model door and the providers while calls are recorded or replayed: a port of this machine that answers nobody but this
 * proxy. So the door is the same with it and without, and what is measured without it is measured. To be used on one event loop.
 */
final class CassettePlayer {

    private static final Logger LOGGER = LoggerFactory.getLogger(CassettePlayer.class);

    /** Proves that it is this proxy that asks. */
    private static final String PASS = "x-molecule-cassette";

    private static final String PROVIDER = "x-molecule-cassette-provider";
    private static final String OPERATION = "x-molecule-cassette-operation";
    private static final String URL = "x-molecule-cassette-url";

    private final Vertx vertx;
    private final CassetteConfig config;
    private final Supplier<HttpClient> client;
    private final ModelLimits limits;
    private final String pass = Tokens.mint();
    private final Future<CassetteShelf> shelf;
    private final Future<HttpServer> server;

    CassettePlayer(Vertx vertx, CassetteConfig config, ModelLimits limits, Supplier<HttpClient> client) {
        this.vertx = vertx;
        this.config = config;
        this.limits = limits;
        this.client = client;
        this.shelf = vertx.executeBlocking(() -> CassetteShelf.open(config.folder()));
        this.server = vertx.createHttpServer().requestHandler(this::serve).listen(0, "127.0.0.1");
        LOGGER.atWarn()
                .addKeyValue("mode", config.mode().name().toLowerCase(Locale.ROOT))
                .addKeyValue("folder", config.folder())
                .log("calls of models are not what they are: MOLECULE_MODELS is set");
    }

    /** Fails when the folder cannot be read, in one sentence. */
    Future<?> ready() {
        return Future.all(shelf, server);
    }

    Future<?> stop() {
        return server.compose(HttpServer::close).otherwiseEmpty();
    }

    /** A request that comes here in the place of its provider. */
    Future<HttpClientRequest> dial(String provider, ModelOperation operation, String model, String url) {
        return server.compose(listening -> client.get()
                .request(new RequestOptions()
                        .setMethod(HttpMethod.POST)
                        .setHost("127.0.0.1")
                        .setPort(listening.actualPort())
                        .setURI("/")
                        .setTraceOperation("POST " + provider)
                        .putHeader(PASS, pass)
                        .putHeader(PROVIDER, provider)
                        .putHeader(OPERATION, operation.urlAt("", model))
                        .putHeader(URL, url)));
    }

    private void serve(HttpServerRequest request) {
        if (!Tokens.same(pass, String.valueOf(request.getHeader(PASS)))) {
            request.response().setStatusCode(403).end();
            return;
        }
        Future.all(request.body(), shelf)
                .onSuccess(both -> {
                    Buffer body = both.resultAt(0);
                    CassetteShelf cassettes = both.resultAt(1);
                    if (config.mode() == CassetteConfig.Mode.REPLAY) {
                        replay(request, body, cassettes);
                    } else {
                        record(request, body, cassettes);
                    }
                })
                .onFailure(failure -> refuse(request, String.valueOf(failure.getMessage())));
    }

    private void replay(HttpServerRequest request, Buffer body, CassetteShelf cassettes) {
        String provider = String.valueOf(request.getHeader(PROVIDER));
        String operation = String.valueOf(request.getHeader(OPERATION));
        var asked = CanonicalRequest.of(body.getBytes());
        Optional<Answer> found = cassettes.next(asked.key(provider, operation));
        if (found.isEmpty()) {
            String why = cassettes.missing(provider, operation, asked);
            LOGGER.atError()
                    .addKeyValue("provider", provider)
                    .addKeyValue("operation", operation)
                    .log("no recording matches a request, see its answer");
            refuse(request, why);
            return;
        }
        var answer = found.get();
        var response = request.response().setStatusCode(answer.status()).setChunked(true);
        response.putHeader("Content-Type", answer.type());
        play(response, asked, answer.pieces(), 0);
    }

    private void play(HttpServerResponse response, CanonicalRequest asked, List<Piece> pieces, int nth) {
        if (response.closed() || response.ended()) {
            return;
        }
        if (nth == pieces.size()) {
            response.end();
            return;
        }
        var piece = pieces.get(nth);
        Runnable say = () -> {
            if (!response.closed()) {
                response.write(asked.told(piece.text())).onSuccess(said -> play(response, asked, pieces, nth + 1));
            }
        };
        if (config.timed() && piece.afterMillis() > 0) {
            vertx.setTimer(piece.afterMillis(), late -> say.run());
        } else {
            say.run();
        }
    }

    private void record(HttpServerRequest request, Buffer body, CassetteShelf cassettes) {
        var headers = MultiMap.caseInsensitiveMultiMap().addAll(request.headers());
        String provider = String.valueOf(headers.get(PROVIDER));
        String operation = String.valueOf(headers.get(OPERATION));
        String url = String.valueOf(headers.get(URL));
        List.of(PASS, PROVIDER, OPERATION, URL, "Host", "Content-Length", "Transfer-Encoding")
                .forEach(headers::remove);
        client.get()
                .request(new RequestOptions()
                        .setMethod(HttpMethod.POST)
                        .setAbsoluteURI(url)
                        .setFollowRedirects(false)
                        .setHeaders(headers))
                .compose(upstream -> {
                    request.connection().closeHandler(gone -> upstream.reset());
                    return upstream.send(body)
                            .compose(sent -> upstream.response())
                            .timeout(limits.firstByte().toMillis(), TimeUnit.MILLISECONDS);
                })
                .onSuccess(answer -> passOn(request, answer, provider, operation, body, cassettes))
                .onFailure(failure -> request.connection().close());
    }

    private void passOn(
            HttpServerRequest request,
            HttpClientResponse answer,
            String provider,
            String operation,
            Buffer body,
            CassetteShelf cassettes) {
        String type = String.valueOf(answer.getHeader("Content-Type"));
        var response = request.response().setStatusCode(answer.statusCode()).setChunked(true);
        PassedHeaders.back(answer, response);
        List<Piece> pieces = new ArrayList<>();
        boolean events = type.startsWith("text/event-stream");
        var splitter = new SseSplitter(limits.eventMaxBytes());
        var whole = Buffer.buffer();
        var last = new Object() {
            long atNanos = System.nanoTime();
        };
        answer.handler(chunk -> {
            response.write(chunk);
            long now = System.nanoTime();
            if (events) {
                splitter.feed(chunk, event -> {
                    pieces.add(new Piece(TimeUnit.NANOSECONDS.toMillis(now - last.atNanos), event.toString()));
                    last.atNanos = now;
                });
            } else {
                whole.appendBuffer(chunk);
            }
        });
        answer.exceptionHandler(broken -> request.connection().close());
        answer.endHandler(end -> {
            String rest = events ? splitter.rest().toString() : whole.toString();
            if (!rest.isEmpty()) {
                pieces.add(new Piece(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - last.atNanos), rest));
            }
            var asked = CanonicalRequest.of(body.getBytes());
            var kept = new Answer(
                    answer.statusCode(),
                    type,
                    pieces.stream()
                            .map(piece -> new Piece(piece.afterMillis(), asked.kept(piece.text())))
                            .toList());
            var cassette = new Cassette(provider, operation, asked.key(provider, operation), asked.text(), List.of());
            vertx.<Void>executeBlocking(() -> {
                        cassettes.keep(cassette, kept);
                        return null;
                    })
                    .onFailure(failure -> LOGGER.atError().setCause(failure).log("a call was not recorded"))
                    .onComplete(done -> response.end());
        });
    }

    private static void refuse(HttpServerRequest request, String why) {
        var protocol = ModelOperation.protocolAt(String.valueOf(request.getHeader(OPERATION)));
        request.response()
                .setStatusCode(404)
                .putHeader("Content-Type", "application/json")
                .end(ModelErrors.body(protocol, ApiError.notFound(why)));
    }
}
