package ai.molecule.proxy.frontdoor;

import ai.molecule.common.ApiError;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request to an owner and its answer, both piped. Ends on both sides when either side leaves. */
final class Passage {

    private static final Logger LOGGER = LoggerFactory.getLogger(Passage.class);

    /** After the whole request was sent; the longest owner route is an import that starts agents. */
    private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(2);

    private static final Set<HttpMethod> REPEATABLE = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

    private final RoutingContext ctx;
    private final HttpClientRequest request;

    Passage(RoutingContext ctx, HttpClientRequest request) {
        this.ctx = ctx;
        this.request = request;
    }

    static ApiError down() {
        return new ApiError(
                ApiError.Kind.UNAVAILABLE,
                "a part of the platform is not available — retry shortly",
                Map.of("code", "platform_unavailable", "retry_after", 2));
    }

    void start() {
        var incoming = ctx.request();
        request.exceptionHandler(lost -> LOGGER.atDebug().setCause(lost).log("owner's connection lost"));
        if (ctx.response().closed()) {
            request.reset();
            return;
        }
        ctx.addEndHandler(ended -> {
            if (ended.failed()) {
                request.reset(); // the client left
            }
        });
        if (incoming.getHeader(HttpHeaders.EXPECT) != null) {
            ctx.response().writeContinue();
        }
        if (incoming.getHeader(HttpHeaders.TRANSFER_ENCODING) != null) {
            request.setChunked(true);
        }
        request.response().onSuccess(this::answer).onFailure(lost -> lost());
        incoming.pipeTo(request).onSuccess(sent -> giveUpLate());
    }

    private void giveUpLate() {
        request.response().timeout(ANSWER_TIMEOUT.toSeconds(), TimeUnit.SECONDS).onFailure(late -> request.reset());
    }

    private void answer(HttpClientResponse answer) {
        var response = ctx.response();
        if (response.closed()) {
            request.reset();
            return;
        }
        response.setStatusCode(answer.statusCode());
        ForwardedHeaders.copyBack(answer, response);
        boolean sized = answer.getHeader(HttpHeaders.CONTENT_LENGTH) != null;
        boolean bodiless = HttpMethod.HEAD.equals(ctx.request().method())
                || answer.statusCode() == 204
                || answer.statusCode() == 304;
        if (bodiless) {
            answer.resume();
            response.end();
            return;
        }
        response.setChunked(!sized);
        response.writeHead();
        answer.pipeTo(response).onFailure(cut -> response.reset());
    }

    /** A request that may have been worked on must not invite a repeat. */
    private void lost() {
        var method = request.getMethod();
        boolean repeatable = REPEATABLE.contains(method);
        ctx.fail(
                repeatable
                        ? down()
                        : new ApiError(ApiError.Kind.BAD_GATEWAY, "a part of the platform stopped before it answered"));
    }
}
