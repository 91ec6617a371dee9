package ai.molecule.proxy.models;

import ai.molecule.common.ApiError;
import ai.molecule.common.models.Provider;
import ai.molecule.common.net.Circuit;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way to one provider, and none for a while after it failed several in a row. A connection that does not come about is tried again,
 * because nothing has left. To be used on one event loop.
 */
final class ProviderLine {

    /** The provider, not the call, is to blame. With its answer, if it gave one. */
    static final class Unwell extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient @Nullable HttpClientResponse answer;
        private final boolean left;

        Unwell(@Nullable HttpClientResponse answer, boolean left, @Nullable Throwable cause) {
            super("the provider is not well", cause, false, false);
            this.answer = answer;
            this.left = left;
        }

        /** Whether anything of the request left. */
        boolean left() {
            return left;
        }

        boolean late() {
            return getCause() instanceof TimeoutException;
        }
    }

    private final Provider provider;
    private final ModelLimits limits;
    private final Circuit circuit;
    private final Runnable idle;
    private int failures;
    private int asked;

    /** @param idle told when nobody waits for an answer to begin and the provider is well: then nothing here need be remembered */
    ProviderLine(Provider provider, ModelLimits limits, Runnable idle) {
        this.idle = idle;
        this.provider = provider;
        this.limits = limits;
        this.circuit = new Circuit("unwell", limits.pause(), this::opens, System::nanoTime);
    }

    /**
     * Sends a request, once. The head of the provider's answer, paused, whatever its status.
     *
     * @param dial opens a request; nothing of it is sent yet
     * @param opened gets the request before anything is sent, to end it with
     * @return fails with {@link Unwell}, or UNAVAILABLE while the provider is left alone
     */
    Future<HttpClientResponse> ask(
            Supplier<Future<HttpClientRequest>> dial,
            MultiMap headers,
            byte[] body,
            Consumer<HttpClientRequest> opened) {
        asked++;
        return circuit.<HttpClientResponse>call(() -> connect(dial, headers, 1).compose(request -> {
                    opened.accept(request);
                    return send(request, body);
                }))
                .recover(failure -> {
                    if (failure instanceof Unwell unwell) {
                        var answer = unwell.answer;
                        return answer == null ? Future.failedFuture(unwell) : Future.succeededFuture(answer);
                    }
                    return Future.failedFuture(circuit.isOpen() ? leftAlone() : failure);
                })
                .onComplete(answered -> {
                    asked--;
                    if (asked == 0 && failures == 0 && !circuit.isOpen()) {
                        idle.run();
                    }
                });
    }

    private Future<HttpClientRequest> connect(Supplier<Future<HttpClientRequest>> dial, MultiMap headers, int attempt) {
        return dial.get()
                .map(request -> {
                    request.headers().addAll(headers);
                    return request;
                })
                .recover(failure -> failure instanceof ApiError
                        ? Future.failedFuture(notDialled())
                        : attempt < limits.connectTries()
                                ? connect(dial, headers, attempt + 1)
                                : Future.failedFuture(new Unwell(null, false, failure)));
    }

    private Future<HttpClientResponse> send(HttpClientRequest request, byte[] body) {
        request.end(Buffer.buffer(body)).onFailure(lost -> request.reset());
        return request.response()
                .timeout(limits.firstByte().toMillis(), TimeUnit.MILLISECONDS)
                .recover(failure -> {
                    request.reset();
                    return Future.failedFuture(new Unwell(null, true, failure));
                })
                .compose(answer -> {
                    answer.pause();
                    answer.exceptionHandler(ended -> {}); // until somebody reads it
                    if (answer.statusCode() >= 500) {
                        return Future.failedFuture(new Unwell(answer, true, null));
                    }
                    failures = 0;
                    return Future.succeededFuture(answer);
                });
    }

    private ApiError notDialled() {
        return ApiError.forbidden("the secret %s leads to an address that the platform does not dial: correct it"
                .formatted(provider.urlSecret()));
    }

    private boolean opens(Throwable failure) {
        return failure instanceof Unwell && ++failures >= limits.unwell();
    }

    private ApiError leftAlone() {
        long seconds = Math.max(1, limits.pause().toSeconds());
        return new ApiError(
                ApiError.Kind.UNAVAILABLE,
                "provider %s failed %d times in a row and is left alone for %d s: try again then, or ask another one"
                        .formatted(provider.name(), limits.unwell(), seconds),
                Map.of("retry_after", seconds));
    }
}
