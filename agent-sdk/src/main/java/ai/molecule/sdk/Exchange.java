package ai.molecule.sdk;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One HTTP request and its whole answer within one time limit and one size limit. */
final class Exchange {

    /** What the platform itself allows an agent to answer. */
    static final int RESPONSE_MAX_BYTES = 10 * 1024 * 1024;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    /**
     * The client's own threads. They move bytes and nothing else: a future of this client is never handed out, so no handler
     * and no caller's code can run on them, and a handler that blocks cannot hold up a heartbeat. As many as there are answers
     * to process at a moment, which the callers that wait for them bound.
     */
    private static final Executor THREADS = Executors.newCachedThreadPool(work -> {
        var thread = new Thread(work, "molecule-http");
        thread.setDaemon(true);
        return thread;
    });

    /** HTTP/1.1, because agents speak it and an upgrade attempt with every call would only cost; redirects are not followed. */
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_TIMEOUT)
            .executor(THREADS)
            .build();

    private Exchange() {}

    /**
     * Sends and waits. The JDK's own request timeout ends with the headers; this one covers the body too.
     *
     * @throws InterruptedIOException when the thread was interrupted; the request is aborted and the interrupt kept
     * @throws IOException when no complete answer came in time
     */
    static HttpResponse<byte[]> send(HttpRequest request, Duration timeout) throws IOException {
        return send(request, timeout, RESPONSE_MAX_BYTES);
    }

    /** The same with a size limit of its own. */
    static HttpResponse<byte[]> send(HttpRequest request, Duration timeout, int maxBytes) throws IOException {
        CompletableFuture<HttpResponse<byte[]>> answer = CLIENT.sendAsync(request, LimitedBody.upTo(maxBytes));
        try {
            return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new IOException("no answer within " + timeout.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for an answer");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
        }
    }

    /** What went wrong, in words: the JDK leaves the message of a refused connection empty. */
    static String describe(IOException failure) {
        String message = failure.getMessage();
        return message == null || message.isBlank() ? failure.getClass().getSimpleName() : message;
    }
}
