package ai.molecule.common.http;

import ai.molecule.common.json.Json;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;

/** Answers what is no HTTP/1.1 request, in JSON like every other error, and closes the connection: its next bytes mean nothing. */
public final class MalformedRequests implements Handler<HttpServerRequest> {

    @Override
    public void handle(HttpServerRequest request) {
        var cause =
                request.decoderResult() == null ? null : request.decoderResult().cause();
        int status =
                switch (cause) {
                    case TooLongHttpLineException line -> 414;
                    case TooLongHttpHeaderException headers -> 431;
                    case null, default -> 400;
                };
        request.response()
                .setStatusCode(status)
                .putHeader("Content-Type", Answers.JSON)
                .putHeader("Connection", "close")
                .end(Json.buffer(Json.object().put("error", ErrorResponses.textOf(status))))
                .onComplete(answered -> request.connection().close());
    }
}
