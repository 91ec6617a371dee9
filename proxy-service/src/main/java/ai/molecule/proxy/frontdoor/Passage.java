package ai.molecule.proxy.frontdoor;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Connections;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request to an owner and its answer, both piped unless they are small. Ends on both sides when either side leaves. */
final class Passage {

    private static final Logger LOGGER = LoggerFactory.getLogger(Passage.class);

    /** For a body that is sent on as a whole, as the owners have it. */
    private static final Duration ARRIVAL_TIMEOUT = Duration.ofSeconds(30);

    /** After the whole request was sent; the longest owner route is an import that starts agents. */
    private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(2);

    /** A plugin may come from a repository, which may take 5 min. */
    private static final Duration PLUGIN_TIMEOUT = Duration.ofMinutes(6);

    /** A body of a known length up to this is taken whole: head and body then leave in one write, to either side. */
    private static final int SMALL_MAX_BYTES = 64 * 1024;

    private static final String EVENT_STREAM = "text/event-stream";

    private static final Set<HttpMethod> REPEATABLE = Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

    private final RoutingContext ctx;
    private final HttpClientRequest request;
    private final LongLivedConnections longLived;
    private final PendingRequests pending;
    private final SocketAddress owner;
    private final FrontDoorLimits limits;

    Passage(
            RoutingContext ctx,
            HttpClientRequest request,
            SocketAddress owner,
            LongLivedConnections longLived,
            PendingRequests pending,
            FrontDoorLimits limits) {
        this.limits = limits;
        this.ctx = ctx;
        this.request = request;
        this.owner = owner;
        this.longLived = longLived;
        this.pending = pending;
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
        request.response().onComplete(this::answer, lost -> lost());
        send(incoming).onSuccess(sent -> await());
    }

    private Future<Void> send(HttpServerRequest incoming) {
        boolean none = incoming.getHeader(HttpHeaders.CONTENT_LENGTH) == null
                && incoming.getHeader(HttpHeaders.TRANSFER_ENCODING) == null;
        if (none) {
            incoming.resume();
            return request.end();
        }
        if (!isSmall(incoming.headers())) {
            return incoming.pipeTo(request);
        }
        var whole = incoming.body().timeout(ARRIVAL_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        incoming.resume();
        return whole.onFailure(this::late).compose(request::end);
    }

    /** What is large is read by its owner, who bounds its time. */
    private void late(Throwable failure) {
        if (failure instanceof TimeoutException) {
            Connections.closeBehind(ctx);
            ctx.fail(408);
            request.reset();
        }
    }

    private static boolean isSmall(MultiMap headers) {
        String length = headers.get(HttpHeaders.CONTENT_LENGTH);
        try {
            return length != null && Integer.parseInt(length) <= SMALL_MAX_BYTES;
        } catch (NumberFormatException pastAnInt) {
            return false;
        }
    }

    private void await() {
        if (!request.response().isComplete()) { // an owner may refuse a body that it has not read
            var limit = ctx.normalizedPath().contains("/plugins") ? PLUGIN_TIMEOUT : ANSWER_TIMEOUT;
            pending.add(request, owner, isRepeatable(), limit);
        }
    }

    private void answer(HttpClientResponse answer) {
        pending.remove(request);
        var response = ctx.response();
        if (response.closed()) {
            request.reset();
            return;
        }
        boolean bodiless = HttpMethod.HEAD.equals(ctx.request().method())
                || answer.statusCode() == 204
                || answer.statusCode() == 304;
        if (!bodiless && isSmall(answer.headers())) {
            answer.body().onComplete(whole -> finish(answer, whole), cut -> lost());
            return;
        }
        head(answer);
        boolean sized = answer.getHeader(HttpHeaders.CONTENT_LENGTH) != null;
        if (bodiless) {
            answer.resume();
            response.end();
            return;
        }
        response.setChunked(!sized);
        response.writeHead();
        if (isEventStream(answer) || (!sized && longLived.takesUnsized())) {
            Runnable ending = () -> endOf(answer);
            longLived.add(ending);
            var silentOwner = new SilentOwner(ctx.vertx(), limits.ownerSilence(), ending);
            ctx.addEndHandler(ended -> {
                longLived.remove(ending);
                silentOwner.over();
            });
            pass(ctx, answer, silentOwner::heard);
            return;
        }
        pass(ctx, answer, () -> {});
    }

    /** With parameters, as many frameworks send it, or without. */
    private static boolean isEventStream(HttpClientResponse answer) {
        String type = answer.getHeader(HttpHeaders.CONTENT_TYPE);
        return type != null && type.regionMatches(true, 0, EVENT_STREAM, 0, EVENT_STREAM.length());
    }

    /**
     * What follows an answer's head, with back-pressure; a client that takes nothing for too long is let go, its owner's end would wait behind
     * what it does not read. No pipe of Vert.x: that writes to a client that is gone, and fails where nobody sees to it.
     *
     * @param heard told whenever the owner sent something, or is read again
     */
    static void pass(RoutingContext ctx, HttpClientResponse answer, Runnable heard) {
        var response = ctx.response();
        var slowReader = new SlowReader(
                ctx.vertx(),
                SlowReader.PATIENCE,
                () -> Connections.cut(ctx.request().connection()));
        ctx.addEndHandler(ended -> slowReader.reads());
        answer.exceptionHandler(broken -> cut(response))
                .endHandler(end -> {
                    if (!response.ended() && !response.closed()) {
                        response.end();
                    }
                })
                .handler(chunk -> {
                    heard.run();
                    if (response.ended() || response.closed()) {
                        return;
                    }
                    response.write(chunk);
                    if (response.writeQueueFull()) {
                        answer.pause();
                        slowReader.waits();
                    }
                });
        response.drainHandler(room -> {
            slowReader.reads();
            heard.run();
            answer.resume();
        });
    }

    /** For the front door's end: the client reads an end in order and comes back with its position. */
    private void endOf(HttpClientResponse answer) {
        answer.pause();
        if (!ctx.response().ended() && !ctx.response().closed()) {
            ctx.response().end();
        }
        request.reset();
    }

    private static void cut(HttpServerResponse response) {
        if (!response.ended()) {
            response.reset();
        }
    }

    private void finish(HttpClientResponse answer, Buffer whole) {
        if (!ctx.response().closed()) {
            head(answer).end(whole);
        }
    }

    private HttpServerResponse head(HttpClientResponse answer) {
        var response = ctx.response().setStatusCode(answer.statusCode());
        ForwardedHeaders.copyBack(answer, response);
        return response;
    }

    private boolean isRepeatable() {
        return REPEATABLE.contains(request.getMethod());
    }

    /** A request that may have been worked on must not invite a repeat. */
    private void lost() {
        pending.remove(request);
        ctx.fail(
                isRepeatable()
                        ? down()
                        : new ApiError(ApiError.Kind.BAD_GATEWAY, "a part of the platform stopped before it answered"));
    }
}
