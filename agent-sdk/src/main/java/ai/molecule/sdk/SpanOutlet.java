package ai.molecule.sdk;

import java.time.Instant;
import java.util.Map;

/**
 * Takes what was done within a trace. Called by the thread that did it, so it only keeps it.
 *
 * <pre>{@code
 * Queue<SpanOutlet.Span> done = new ConcurrentLinkedQueue<>();
 * TraceContext.of(traceparent, tracestate).reportingTo(done::add).during(() -> {
 *     try (var step = TraceContext.begin("execute_tool search", false)) {
 *         step.fact("gen_ai.tool.name", "search");
 *         return search();
 *     }
 * });
 * }</pre>
 */
@FunctionalInterface
public interface SpanOutlet {

    /**
     * What was done, from its begin to its end.
     *
     * @param traceId 32 hexadecimal digits
     * @param spanId 16
     * @param parentId 16, of what it was done for
     * @param client whether somebody else was asked for it
     * @param failure a word for what went wrong; empty when nothing did
     * @param facts texts, and numbers as {@link Long}
     */
    record Span(
            String traceId,
            String spanId,
            String parentId,
            String name,
            boolean client,
            Instant begun,
            Instant ended,
            String failure,
            Map<String, Object> facts) {

        public Span {
            facts = Map.copyOf(facts);
        }
    }

    void take(Span span);
}
