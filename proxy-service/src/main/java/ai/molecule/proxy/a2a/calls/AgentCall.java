package ai.molecule.proxy.a2a.calls;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.tracing.TraceHeaders;
import ai.molecule.common.tracing.Tracing;
import ai.molecule.proxy.activity.BackPressure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One request to an agent: dialled, sent at most once, its answer collected up to a bound or handed on as a stream. It goes on
 * whoever waits; only {@link #abandon} before anything was sent, or the upstream time, ends it early.
 */
final class AgentCall {

    private final Tracing tracing;
    private final int maxBytes;
    private final BackPressure pressure;
    private final Promise<AgentAnswer> answer = Promise.promise();
    private final long startedNanos = System.nanoTime();
    private @Nullable HttpClientRequest request;
    private Optional<String> shown = Optional.empty();
    private boolean sent;
    private long taken;

    private AgentCall(Tracing tracing, int maxBytes, BackPressure pressure) {
        this.tracing = tracing;
        this.maxBytes = maxBytes;
        this.pressure = pressure;
    }

    /**
     * @param longest how long the agent may work before the call is given up
     * @param route with a URL
     * @param beforeSending asked when the connection stands; nothing is sent when it fails
     * @return its answer fails with {@link AgentFailure}, or with the dialer's refusal of the address
     */
    static AgentCall start(
            CallParts parts,
            Duration longest,
            Route route,
            Map<String, String> headers,
            byte[] body,
            Supplier<Future<Void>> beforeSending) {
        var vertx = parts.vertx();
        var call = new AgentCall(Tracing.of(vertx), parts.limits().responseMaxBytes(), parts.pressure());
        long timer = vertx.setTimer(longest.toMillis(), late -> call.expire());
        call.answer.future().onComplete(done -> vertx.cancelTimer(timer));
        var token = parts.tokens().tokenFor(headers);
        parts.dialer()
                .open(HttpMethod.POST, String.valueOf(route.url()), route.provisioned())
                .compose(request -> token.map(shown -> call.show(shown, request)))
                .compose(request -> beforeSending.get().map(request).onFailure(stopped -> request.reset()))
                .onSuccess(request -> call.send(request, headers, body))
                .onFailure(call::notOpened);
        return call;
    }

    /** As {@link #start}, once more with another token where the agent does not believe the first: then it has done nothing. */
    static Future<AgentAnswer> ask(
            CallParts parts, Duration longest, Route route, Map<String, String> headers, byte[] question) {
        var call = start(parts, longest, route, headers, question, Future::succeededFuture);
        return call.answer().compose(answer -> {
            if (!(answer instanceof AgentAnswer.Whole refusal) || !refusal.isUnauthorized()) {
                return Future.succeededFuture(answer);
            }
            return parts.tokens()
                    .renewed(headers, call.shown())
                    .compose(another -> another
                            ? start(parts, longest, route, headers, question, Future::succeededFuture)
                                    .answer()
                            : Future.succeededFuture(answer));
        });
    }

    /** The pair token that the agent was shown. */
    Optional<String> shown() {
        return shown;
    }

    Future<AgentAnswer> answer() {
        return answer.future();
    }

    boolean sent() {
        return sent;
    }

    /** The platform stops: whatever the agent does, its answer will reach nobody. */
    void stop() {
        fail(sent ? AgentFailure.Kind.STOPPED : AgentFailure.Kind.REFUSED, 0);
    }

    /** Ends the connection of a call that was sent; its work goes on. */
    void letGo() {
        fail(AgentFailure.Kind.LET_GO, 0);
        if (request != null) {
            request.reset();
        }
    }

    /** Gives up if nothing was sent yet; answers whether it gave up. */
    boolean abandon() {
        if (!sent) {
            fail(AgentFailure.Kind.REFUSED, 0);
        }
        return !sent;
    }

    private HttpClientRequest show(Optional<String> token, HttpClientRequest opened) {
        shown = token;
        token.ifPresent(proof -> opened.putHeader(HttpHeaders.AUTHORIZATION, "Bearer " + proof));
        return opened;
    }

    private void notOpened(Throwable failure) {
        if (failure instanceof ApiError refusedAddress) {
            answer.tryFail(refusedAddress);
        } else {
            fail(AgentFailure.Kind.REFUSED, 0);
        }
    }

    private void send(HttpClientRequest opened, Map<String, String> headers, byte[] body) {
        request = opened;
        if (answer.future().isComplete()) {
            opened.reset();
            return;
        }
        sent = true;
        boolean traced = tracing.current() != null; // then the request says by itself to which trace it belongs
        headers.forEach((name, value) -> {
            if (!traced || !TraceHeaders.isOne(name)) {
                opened.putHeader(name, value);
            }
        });
        opened.exceptionHandler(lost -> fail(AgentFailure.Kind.LOST, 0)); // the response's handler speaks first
        opened.send(Buffer.buffer(body)).onSuccess(this::head).onFailure(lost -> fail(AgentFailure.Kind.LOST, 0));
    }

    private void head(HttpClientResponse response) {
        int status = response.statusCode();
        int durationMs = elapsedMs();
        if (status < 200) { // 101: a protocol nobody asked for, and so no answer
            fail(AgentFailure.Kind.LOST, 0);
            response.request().connection().close();
            return;
        }
        if (response.headers().contains(HttpHeaders.CONTENT_ENCODING)) { // one that the dialer could not take off
            fail(AgentFailure.Kind.PACKED, status);
            response.request().reset();
            return;
        }
        if (isEvents(response)) {
            response.pause();
            if (!answer.tryComplete(new AgentAnswer.Events(status, durationMs, response))) {
                response.request().reset();
            }
            return;
        }
        var body = Buffer.buffer();
        response.exceptionHandler(cut -> fail(AgentFailure.Kind.CUT, status))
                .endHandler(end -> end(new AgentAnswer.Whole(status, durationMs, body)))
                .handler(chunk -> {
                    if (body.length() + chunk.length() > maxBytes) {
                        fail(AgentFailure.Kind.TOO_LARGE, status);
                        response.request().reset();
                    } else {
                        body.appendBuffer(chunk);
                        take(chunk.length(), response);
                    }
                });
    }

    /** Reads on when there is room for what was read. */
    private void take(int bytes, HttpClientResponse response) {
        var room = pressure.take(bytes);
        if (!room.succeeded()) {
            response.pause();
            room.onSuccess(turn -> response.resume());
        }
        room.onSuccess(turn -> {
                    if (answer.future().isComplete()) {
                        pressure.give(bytes);
                    } else {
                        taken += bytes;
                    }
                })
                .onFailure(none -> {
                    fail(AgentFailure.Kind.NO_ROOM, response.statusCode());
                    response.request().reset();
                });
    }

    private static boolean isEvents(HttpClientResponse response) {
        String type = response.getHeader("Content-Type");
        return response.statusCode() < 300
                && type != null
                && type.toLowerCase(Locale.ROOT).startsWith("text/event-stream");
    }

    private void expire() {
        fail(AgentFailure.Kind.EXPIRED, 0);
        if (request != null) {
            request.reset();
        }
    }

    private void fail(AgentFailure.Kind kind, int status) {
        answer.tryFail(new AgentFailure(kind, status, elapsedMs()));
        giveBack();
    }

    private void end(AgentAnswer.Whole whole) {
        answer.tryComplete(whole);
        giveBack(); // whoever heard of it has counted by now what it keeps of it
    }

    private void giveBack() {
        pressure.give(taken);
        taken = 0;
    }

    /** At least 1: clients take 0 for missing. */
    private int elapsedMs() {
        return (int)
                Math.max(1, Duration.ofNanos(System.nanoTime() - startedNanos).toMillis());
    }
}
