package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.json.Json;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpClosedException;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import java.time.Duration;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one place where a failure becomes an HTTP response: {@code {"error": "workspace not found"}} plus the error's details. A
 * client that sends {@code Accept: application/problem+json} gets RFC 9457 with the same members beside it. To be used on one
 * event loop.
 */
public final class ErrorResponses implements Handler<RoutingContext> {

    private static final Logger LOGGER = LoggerFactory.getLogger(ErrorResponses.class);
    private static final String PROBLEM_JSON = "application/problem+json";

    private static final Map<Integer, String> TEXT_OF_STATUS = Map.of(
            400, "bad request",
            404, "not found",
            405, "not found",
            408, "the request took too long to arrive",
            413, "request body too large",
            414, "request target too long",
            415, "unsupported media type",
            431, "request headers too large");

    private final BiConsumer<RoutingContext, ApiError> refused;
    private final Quiet outages = new Quiet(Duration.ofSeconds(1));

    /** Somebody keeps too much, and is told so each time: nothing for a person to do at once. */
    private final Quiet quotas = new Quiet(Duration.ofMinutes(1));

    public ErrorResponses() {
        this((ctx, error) -> {});
    }

    /** @param refused gets each 401 and 403 before it is answered */
    public ErrorResponses(BiConsumer<RoutingContext, ApiError> refused) {
        this.refused = refused;
    }

    /** What is said of a status when nothing more is known. */
    static String textOf(int status) {
        return TEXT_OF_STATUS.getOrDefault(status, status < 500 ? "bad request" : "internal error");
    }

    @Override
    public void handle(RoutingContext ctx) {
        if (ctx.failure() instanceof HttpClosedException && ctx.response().closed()) {
            return; // the client left in the middle of its request: nobody to tell, nothing for a person to do
        }
        if (ctx.response().headWritten()) {
            ctx.response().reset(); // an answer that cannot be finished is cut, not completed with an error inside
            return;
        }
        var error = errorOf(ctx);
        if (error.kind().status() >= 500 && ctx.failure() != null) {
            log(ctx, error);
        }
        int status = statusOf(ctx, error);
        if (status == 401 || status == 403) {
            refused.accept(ctx, error);
        }
        String accept = ctx.request().getHeader("Accept");
        boolean wantsProblem = accept != null && accept.contains(PROBLEM_JSON);
        var body = Json.object();
        if (wantsProblem) {
            body.put("type", "about:blank").put("status", status).put("detail", error.publicMessage());
        }
        body.put("error", error.publicMessage());
        error.details().forEach(body::putPOJO);
        if (error.details().get("retry_after") instanceof Number seconds) {
            ctx.response().putHeader("Retry-After", String.valueOf(seconds.longValue()));
        }
        ctx.response()
                .setStatusCode(status)
                .putHeader("Content-Type", wantsProblem ? PROBLEM_JSON : Answers.JSON)
                .end(Json.buffer(body));
    }

    /** What nobody foresaw always; an outage, which every request then meets, once a second; a full quota once a minute. */
    private void log(RoutingContext ctx, ApiError error) {
        boolean ours = ctx.failure() instanceof ApiError;
        boolean storage = error.kind() == ApiError.Kind.INSUFFICIENT_STORAGE;
        boolean unforeseen = error.kind() == ApiError.Kind.INTERNAL || (storage && !ours);
        long alike = 0;
        if (!unforeseen || ours) {
            var quiet = storage ? quotas : outages;
            alike = quiet.mayTell();
            if (alike < 0) {
                return;
            }
        }
        (unforeseen ? LOGGER.atError() : LOGGER.atWarn())
                .setCause(ours && error.kind() != ApiError.Kind.INTERNAL ? null : ctx.failure())
                .addKeyValue("status", error.kind().status())
                .addKeyValue("reason", error.publicMessage())
                .addKeyValue("method", ctx.request().method())
                .addKeyValue("path", ctx.request().path())
                .addKeyValue("requestId", RequestId.of(ctx))
                .addKeyValue("alike", alike)
                .log("request failed");
    }

    /** One line in a while, and how many there would have been. */
    private static final class Quiet {
        private final long pauseNanos;
        private long untilNanos = System.nanoTime();
        private long untold;

        Quiet(Duration pause) {
            pauseNanos = pause.toNanos();
        }

        /** How many were left out before this one; negative when this one is left out too. */
        long mayTell() {
            long now = System.nanoTime();
            if (now - untilNanos < 0) {
                untold++;
                return -1;
            }
            untilNanos = now + pauseNanos;
            long before = untold;
            untold = 0;
            return before;
        }
    }

    private static ApiError errorOf(RoutingContext ctx) {
        return switch (ctx.failure()) {
            case ApiError error -> error;
            case HttpException raisedByVertx -> ofStatus(raisedByVertx.getStatusCode());
            case null -> ofStatus(ctx.statusCode());
            case Throwable failure when Postgres.isBadValue(failure) -> ApiError.invalid("invalid request body");
            case Throwable failure when isOfTheDecoder(failure) -> ofStatus(400);
            case Throwable failure ->
                Postgres.outage(failure)
                        .orElseGet(() ->
                                ofStatus(ctx.statusCode() >= 400 && ctx.statusCode() < 500 ? ctx.statusCode() : 500));
        };
    }

    /** A body whose chunks are none; the exceptions for that have no type of their own. */
    private static boolean isOfTheDecoder(Throwable failure) {
        var trace = failure.getStackTrace();
        return trace.length > 0 && trace[0].getClassName().startsWith("io.netty.handler.codec.http.HttpObjectDecoder");
    }

    private static ApiError ofStatus(int status) {
        ApiError.Kind kind =
                switch (status) {
                    case 401 -> ApiError.Kind.UNAUTHENTICATED;
                    case 403 -> ApiError.Kind.FORBIDDEN;
                    case 404, 405 -> ApiError.Kind.NOT_FOUND;
                    case 413 -> ApiError.Kind.TOO_LARGE;
                    default -> status >= 400 && status < 500 ? ApiError.Kind.INVALID : ApiError.Kind.INTERNAL;
                };
        return new ApiError(kind, textOf(kind == ApiError.Kind.INTERNAL ? 500 : status));
    }

    /** Vert.x knows statuses that have no kind of ours; they keep their number. */
    private static int statusOf(RoutingContext ctx, ApiError error) {
        @Nullable Throwable failure = ctx.failure();
        int raw = failure instanceof HttpException raised ? raised.getStatusCode() : ctx.statusCode();
        boolean kept =
                !(failure instanceof ApiError) && error.kind() == ApiError.Kind.INVALID && raw >= 400 && raw < 500;
        return kept && raw != 405 ? raw : error.kind().status();
    }
}
