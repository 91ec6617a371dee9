package ai.molecule.runtime.a2a;

import ai.molecule.runtime.a2a.A2aMethods.Outcome;
import ai.molecule.runtime.tasks.TaskRefused;
import ai.molecule.runtime.tasks.TaskSnapshot;
import ai.molecule.sdk.SpanOutlet;
import ai.molecule.sdk.TraceContext;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** JSON-RPC over HTTP: a body in, an answer now, later, or as a stream. */
final class RpcEndpoint {

    /** How long a blocking send waits for its task before it answers with the task as it is. */
    static final Duration BLOCKING_MAX = Duration.ofMinutes(30);

    /** More streams than this are not open at the same time. */
    static final int STREAMS_MAX = 4_000;

    private static final Logger LOGGER = LoggerFactory.getLogger(RpcEndpoint.class);

    private final Vertx vertx;
    private final A2aMethods methods;
    private final SpanOutlet spans;
    private int openStreams;

    RpcEndpoint(Vertx vertx, A2aMethods methods, SpanOutlet spans) {
        this.spans = spans;
        this.vertx = vertx;
        this.methods = methods;
    }

    void call(HttpServerRequest http, Buffer body) {
        JsonNode id = Json.object().nullNode();
        try {
            JsonNode json = Json.parse(body);
            id = RpcRequest.idOf(json);
            RpcRequest request = RpcRequest.parse(json);
            String version = ProtocolVersion.named(http);
            ProtocolVersion.require(version, request.method());
            var outcome = traceOf(http) // which the threads of a task inherit
                    .during(() -> methods.call(request, !version.isEmpty()));
            respond(http, request, outcome);
        } catch (RpcError error) {
            HttpAnswers.answer(http.response(), error, RpcRequest.error(id, error));
        } catch (TaskRefused refused) {
            RpcError error = RpcError.of(refused);
            HttpAnswers.answer(http.response(), error, RpcRequest.error(id, error));
        } catch (RuntimeException unforeseen) {
            LOGGER.atError().setCause(unforeseen).log("request failed unexpectedly");
            HttpAnswers.answer(http.response(), RpcError.internal(), RpcRequest.error(id, RpcError.internal()));
        }
    }

    private TraceContext traceOf(HttpServerRequest http) {
        return TraceContext.of(
                        Optional.ofNullable(http.getHeader("traceparent")),
                        Optional.ofNullable(http.getHeader("tracestate")))
                .reportingTo(spans);
    }

    private void respond(HttpServerRequest http, RpcRequest request, Outcome outcome) {
        switch (outcome) {
            case Outcome.Now now -> HttpAnswers.answer(http.response(), 200, Json.write(request.result(now.result())));
            case Outcome.Later later -> answerLater(http.response(), request, later);
            case Outcome.Stream stream -> stream(http, request, stream);
        }
    }

    private void answerLater(HttpServerResponse response, RpcRequest request, Outcome.Later later) {
        Context context = vertx.getOrCreateContext();
        long timer = later.settled().isDone()
                ? -1
                : vertx.setTimer(
                        BLOCKING_MAX.toMillis(),
                        id -> answer(response, request, later, later.task().snapshot()));
        Future.fromCompletionStage(later.settled(), context)
                .onSuccess(task -> {
                    vertx.cancelTimer(timer);
                    answer(response, request, later, task);
                })
                .onFailure(restarts -> {
                    vertx.cancelTimer(timer);
                    RpcError busy = RpcError.busy("the agent restarts and goes on with this, send it again later");
                    HttpAnswers.answer(response, busy, request.error(busy));
                });
    }

    private void stream(HttpServerRequest http, RpcRequest request, Outcome.Stream outcome) {
        if (openStreams >= STREAMS_MAX) {
            RpcError busy = RpcError.busy("too many streams are open");
            HttpAnswers.answer(http.response(), busy, request.error(busy));
            return;
        }
        openStreams++;
        HttpServerResponse response = http.response()
                .setChunked(true)
                .putHeader("Content-Type", "text/event-stream")
                .putHeader("Cache-Control", "no-cache");
        var stream = new SseStream(
                vertx.getOrCreateContext(), response, () -> http.connection().close(), request, outcome.view());
        response.closeHandler(closed -> stream.stop());
        response.endHandler(ended -> openStreams--);
        stream.start(outcome.historyMax());
    }

    private static void answer(
            HttpServerResponse response, RpcRequest request, Outcome.Later later, TaskSnapshot task) {
        HttpAnswers.answer(
                response, 200, Json.write(request.result(later.answer().apply(task))));
    }
}
