package ai.molecule.runtime.a2a;

import ai.molecule.runtime.a2a.A2aMethods.Outcome;
import ai.molecule.runtime.tasks.TaskRefused;
import ai.molecule.runtime.tasks.TaskSnapshot;
import ai.molecule.sdk.SpanOutlet;
import ai.molecule.sdk.TraceContext;
import ai.molecule.sdk.identity.Passport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks for an operation and writes what comes of it: an answer now, later, or as a stream, or what went wrong. */
final class OutcomeWriter {

    /** How long a blocking send waits for its task before it answers with the task as it is. */
    static final Duration BLOCKING_MAX = Duration.ofMinutes(30);

    /** More streams than this are not open at the same time. */
    static final int STREAMS_MAX = 4_000;

    private static final Logger LOGGER = LoggerFactory.getLogger(OutcomeWriter.class);

    private final Vertx vertx;
    private final SpanOutlet spans;
    private final Function<HttpServerRequest, Optional<Passport>> passports;
    private int openStreams;

    /**
     * @param spans where what is done for messages that are traced is told
     * @param passports that of a request which was let in
     */
    OutcomeWriter(Vertx vertx, SpanOutlet spans, Function<HttpServerRequest, Optional<Passport>> passports) {
        this.vertx = vertx;
        this.spans = spans;
        this.passports = passports;
    }

    /** The workspace that asks, where it says so. */
    static Optional<String> senderOf(HttpServerRequest http) {
        return Optional.ofNullable(http.getHeader("X-Workspace-ID")).filter(id -> !id.isBlank());
    }

    /** @param call throws what {@link A2aMethods#call} does */
    void write(HttpServerRequest http, AnswerEnvelope envelope, Supplier<Outcome> call) {
        HttpServerResponse response = http.response();
        try {
            respond(http, envelope, traceOf(http).during(call::get)); // which the threads of a task inherit
        } catch (RpcError error) {
            refuse(response, envelope, error);
        } catch (TaskRefused refused) {
            refuse(response, envelope, envelope.form().refusal(refused));
        } catch (RuntimeException unforeseen) {
            LOGGER.atError().setCause(unforeseen).log("request failed unexpectedly");
            refuse(response, envelope, RpcError.internal());
        }
    }

    static void refuse(HttpServerResponse response, AnswerEnvelope envelope, RpcError error) {
        Buffer body = Json.write(envelope.error(error));
        if (envelope.errorIsEvent(error)) {
            asStream(response).end(SseStream.event(body));
        } else {
            HttpAnswers.answer(response, envelope.status(error), body);
        }
    }

    private TraceContext traceOf(HttpServerRequest http) {
        return TraceContext.of(
                        Optional.ofNullable(http.getHeader("traceparent")),
                        Optional.ofNullable(http.getHeader("tracestate")))
                .reportingTo(spans)
                .under(passports.apply(http));
    }

    private void respond(HttpServerRequest http, AnswerEnvelope envelope, Outcome outcome) {
        switch (outcome) {
            case Outcome.Now now ->
                HttpAnswers.answer(
                        http.response(), 200, envelope.contentType(), Json.write(envelope.result(now.result())));
            case Outcome.Later later -> answerLater(http.response(), envelope, later);
            case Outcome.Stream stream -> stream(http, envelope, stream);
        }
    }

    private void answerLater(HttpServerResponse response, AnswerEnvelope envelope, Outcome.Later later) {
        Context context = vertx.getOrCreateContext();
        long timer = later.settled().isDone()
                ? -1
                : vertx.setTimer(
                        BLOCKING_MAX.toMillis(),
                        id -> answer(response, envelope, later, later.task().snapshot()));
        Future.fromCompletionStage(later.settled(), context)
                .onSuccess(task -> {
                    vertx.cancelTimer(timer);
                    answer(response, envelope, later, task);
                })
                .onFailure(restarts -> {
                    vertx.cancelTimer(timer);
                    refuse(
                            response,
                            envelope,
                            RpcError.busy("the agent restarts and goes on with this, send it again later"));
                });
    }

    private void stream(HttpServerRequest http, AnswerEnvelope envelope, Outcome.Stream outcome) {
        if (openStreams >= STREAMS_MAX) {
            refuse(http.response(), envelope, RpcError.busy("too many streams are open"));
            return;
        }
        openStreams++;
        HttpServerResponse response = asStream(http.response());
        var stream = new SseStream(
                vertx.getOrCreateContext(), response, () -> http.connection().close(), envelope, outcome.view());
        response.closeHandler(closed -> stream.stop());
        response.endHandler(ended -> openStreams--);
        stream.start(outcome.historyMax());
    }

    private static HttpServerResponse asStream(HttpServerResponse response) {
        return response.setChunked(true)
                .putHeader("Content-Type", "text/event-stream")
                .putHeader("Cache-Control", "no-cache");
    }

    private static void answer(
            HttpServerResponse response, AnswerEnvelope envelope, Outcome.Later later, TaskSnapshot task) {
        Buffer body = Json.write(envelope.result(later.answer().apply(task)));
        if (later.asEvent()) {
            asStream(response).end(SseStream.event(body));
        } else {
            HttpAnswers.answer(response, 200, envelope.contentType(), body);
        }
    }
}
