package ai.molecule.runtime.platform;

import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.SpanOutlet;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends what the agent did for messages that are traced to the front door, with the agent's own token; the platform knows where traces go.
 * A span that cannot be sent is lost, and nothing else: {@value #WAITING_MAX} wait, further ones are dropped; {@value #BATCH_MAX} go at once,
 * a second after the first; where none are collected the platform is asked again after ten minutes.
 */
public final class SpanReports implements SpanOutlet, AutoCloseable {

    private static final int WAITING_MAX = 512;
    private static final int BATCH_MAX = 64;
    private static final Duration GATHERED_FOR = Duration.ofSeconds(1);
    private static final Duration NONE_COLLECTED_FOR = Duration.ofMinutes(10);
    private static final Duration LAST_ONES = Duration.ofSeconds(1);
    private static final int NOT_FOUND = 404;
    private static final int CLIENT = 3;
    private static final int INTERNAL = 1;
    private static final int ERROR = 2;
    private static final Logger LOGGER = LoggerFactory.getLogger(SpanReports.class);

    private final WorkspaceClient platform;
    private final BlockingQueue<Span> waiting = new ArrayBlockingQueue<>(WAITING_MAX);
    private final Thread sender;
    private volatile boolean closing;
    private volatile long restsUntil = System.nanoTime();

    private SpanReports(WorkspaceClient platform) {
        this.platform = platform;
        this.sender = Thread.ofVirtual().name("spans").unstarted(this::send);
    }

    public static SpanReports to(WorkspaceClient platform) {
        var reports = new SpanReports(platform);
        reports.sender.start();
        return reports;
    }

    @Override
    public void take(Span span) {
        if (System.nanoTime() - restsUntil >= 0 && !waiting.offer(span)) {
            LOGGER.atDebug().log("a span is dropped");
        }
    }

    /** Sends what is left, within a second. */
    @Override
    public void close() {
        closing = true;
        sender.interrupt();
        try {
            if (!sender.join(LAST_ONES)) {
                sender.interrupt();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void send() {
        while (!closing) {
            try {
                Span first = waiting.take();
                TimeUnit.NANOSECONDS.sleep(GATHERED_FOR.toNanos());
                report(first);
            } catch (InterruptedException told) {
                // it closes, or what is left is sent below
            }
        }
        Span left = waiting.poll();
        if (left != null) {
            report(left);
        }
    }

    private void report(Span first) {
        List<Span> batch = new ArrayList<>(List.of(first));
        waiting.drainTo(batch, BATCH_MAX - 1);
        try {
            platform.reportSpans(exported(batch));
        } catch (PlatformException lost) {
            if (lost.status() == NOT_FOUND) {
                restsUntil = System.nanoTime() + NONE_COLLECTED_FOR.toNanos();
                waiting.clear();
            }
            LOGGER.atDebug()
                    .addKeyValue("spans", batch.size())
                    .addKeyValue("status", lost.status())
                    .log("spans are lost");
        }
    }

    /** As OpenTelemetry writes it in JSON: numbers of 64 bits are texts. */
    private static ObjectNode exported(List<Span> batch) {
        var request = JsonNodeFactory.instance.objectNode();
        var spans = request.putArray("resourceSpans")
                .addObject()
                .putArray("scopeSpans")
                .addObject()
                .putArray("spans");
        for (Span span : batch) {
            var written = spans.addObject()
                    .put("traceId", span.traceId())
                    .put("spanId", span.spanId())
                    .put("parentSpanId", span.parentId())
                    .put("name", span.name())
                    .put("kind", span.client() ? CLIENT : INTERNAL)
                    .put("startTimeUnixNano", nanos(span.begun()))
                    .put("endTimeUnixNano", nanos(span.ended()));
            var facts = written.putArray("attributes");
            span.facts().forEach((name, value) -> {
                var fact = facts.addObject().put("key", name).putObject("value");
                fact.put(value instanceof Long ? "intValue" : "stringValue", value.toString());
            });
            if (!span.failure().isEmpty()) {
                facts.addObject().put("key", "error.type").putObject("value").put("stringValue", span.failure());
                written.putObject("status").put("code", ERROR);
            }
        }
        return request;
    }

    private static String nanos(Instant moment) {
        return String.valueOf(
                Math.addExact(Math.multiplyExact(moment.getEpochSecond(), 1_000_000_000L), moment.getNano()));
    }
}
