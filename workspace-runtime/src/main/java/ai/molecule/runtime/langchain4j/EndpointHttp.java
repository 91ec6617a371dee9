package ai.molecule.runtime.langchain4j;

import ai.molecule.runtime.agent.TaskLimits.Price;
import ai.molecule.sdk.TraceContext;
import dev.langchain4j.http.client.HttpClient;
import dev.langchain4j.http.client.HttpRequest;
import dev.langchain4j.http.client.SuccessfulHttpResponse;
import dev.langchain4j.http.client.sse.ServerSentEventListener;
import dev.langchain4j.http.client.sse.ServerSentEventParser;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Calls the endpoint on the caller's own thread, so that interrupting it ends the call. An endpoint that is silent for
 * longer than it may be, or takes longer than an answer may take, is left with {@link java.net.http.HttpTimeoutException}.
 */
final class EndpointHttp implements HttpClient {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final int ERROR_MAX_BYTES = 16 * 1024;

    private final java.net.http.HttpClient client = java.net.http.HttpClient.newBuilder()
            .version(Version.HTTP_1_1) // endpoints of one's own often know no other
            .connectTimeout(CONNECT_TIMEOUT)
            .executor(Executors.newVirtualThreadPerTaskExecutor())
            .build();
    /** What the calls of a thread are for, by its id; the platform's door counts them so. */
    private static final ThreadLocal<Optional<String>> PURPOSE = ThreadLocal.withInitial(Optional::empty);

    private static final Pattern PRICE = Pattern.compile("(\\d{1,6}(?:\\.\\d{1,9})?) (\\d{1,6}(?:\\.\\d{1,9})?)");

    private final Duration silenceMax;
    private final Duration timeout;
    private final boolean atDoor;
    private volatile @Nullable Price price;

    /** @param atDoor whether the platform's door is asked, which alone is told what a call is for */
    EndpointHttp(Duration silenceMax, Duration timeout, boolean atDoor) {
        this.atDoor = atDoor;
        this.silenceMax = silenceMax;
        this.timeout = timeout;
    }

    /** From here on the calls of this thread are for this. */
    static void callsAreFor(Optional<String> purpose) {
        PURPOSE.set(purpose);
    }

    @Override
    public SuccessfulHttpResponse execute(HttpRequest request) {
        throw new UnsupportedOperationException("answers are streamed");
    }

    @Override
    public void execute(HttpRequest request, ServerSentEventParser parser, ServerSentEventListener listener) {
        try {
            HttpResponse<InputStream> response = client.send(asJdk(request), BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                if (response.statusCode() / 100 != 2) {
                    String error = new String(body.readNBytes(ERROR_MAX_BYTES), StandardCharsets.UTF_8);
                    throw EndpointRefusal.of(
                            response.statusCode(),
                            error,
                            response.headers().firstValue("Retry-After").orElse(""),
                            Instant.now());
                }
                response.headers().firstValue("X-Molecule-Price").ifPresent(this::costs);
                read(body, parser, atDoor ? new EndedForMoney(listener) : listener);
            }
            listener.onClose();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            listener.onError(e);
        } catch (IOException | RuntimeException e) {
            listener.onError(e);
        }
    }

    /** What the model costs, as the platform's door last said it; null where nobody did. */
    @Nullable
    Price price() {
        return price;
    }

    private void costs(String inAndOut) {
        var read = PRICE.matcher(inAndOut);
        if (atDoor && read.matches()) {
            price = new Price(new BigDecimal(read.group(1)), new BigDecimal(read.group(2)));
        }
    }

    private void read(InputStream body, ServerSentEventParser parser, ServerSentEventListener listener) {
        var over = new CountDownLatch(1);
        var left = new AtomicBoolean();
        var lastHeard = new AtomicLong(System.nanoTime());
        Thread.ofVirtual().name("model-watch").start(() -> {
            if (tooLong(over, lastHeard)) {
                left.set(true);
                closeQuietly(body);
            }
        });
        try {
            parser.parse(new BoundedBody(body, () -> lastHeard.set(System.nanoTime()), left::get), listener);
        } finally {
            over.countDown();
        }
    }

    /** Returns once the call is over, or when it has taken too long, or nothing was heard for too long. */
    private boolean tooLong(CountDownLatch over, AtomicLong lastHeard) {
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            while (true) {
                long now = System.nanoTime();
                long left = Math.min(deadline - now, lastHeard.get() + silenceMax.toNanos() - now);
                if (left <= 0) {
                    return true;
                }
                if (over.await(left, TimeUnit.NANOSECONDS)) {
                    return false;
                }
            }
        } catch (InterruptedException nobodyDoes) {
            return true;
        }
    }

    private java.net.http.HttpRequest asJdk(HttpRequest request) {
        var builder = java.net.http.HttpRequest.newBuilder(URI.create(request.url()))
                .timeout(silenceMax) // until the answer begins
                .method(request.method().name(), BodyPublishers.ofString(request.body()));
        request.headers().forEach((name, values) -> values.forEach(value -> builder.header(name, value)));
        if (atDoor) {
            PURPOSE.get().ifPresent(id -> builder.setHeader("X-Molecule-Context", id));
            TraceContext.told(builder);
        }
        return builder.build();
    }

    private static void closeQuietly(InputStream body) {
        try {
            body.close();
        } catch (IOException e) {
            // it is left either way
        }
    }
}
