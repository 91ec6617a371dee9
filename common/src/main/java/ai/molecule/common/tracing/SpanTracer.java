package ai.molecule.common.tracing;

import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.spi.context.storage.ContextLocal;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map.Entry;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns what Vert.x reports into spans. The span of a served request is kept with the request's context: calls to others made there
 * until the answer belong to it. Work that goes on after the answer, such as a loop that the request woke, belongs to no span.
 */
final class SpanTracer implements VertxTracer<@Nullable Step, @Nullable Step>, Tracing {

    /** A key that must exist before Vert.x does, so that its contexts have room for the span. */
    private static final ContextLocal<Step> STEP = ContextLocal.registerLocal(Step.class);

    private static final TextMapGetter<Iterable<Entry<String, String>>> HEADERS = new HeaderReader();

    private final OpenTelemetrySdk sdk;
    private final SpanProcessor queue;
    private final Tracer tracer;
    private final TextMapPropagator propagator;

    /** @param queue where spans wait to be sent */
    SpanTracer(OpenTelemetrySdk sdk, SpanProcessor queue) {
        this.sdk = sdk;
        this.queue = queue;
        this.tracer = sdk.getTracer("ai.molecule");
        this.propagator = sdk.getPropagators().getTextMapPropagator();
    }

    @Override
    public VertxBuilder over(VertxBuilder builder) {
        return builder.withTracer(options -> this);
    }

    @Override
    public Tracing.@Nullable Span current() {
        var context = Vertx.currentContext();
        return context == null ? null : under(context);
    }

    @Override
    public ModelSpan asks(String operation, String provider, String model) {
        var context = Vertx.currentContext();
        var asking = context == null ? null : under(context);
        if (asking == null) {
            return ModelSpan.NONE;
        }
        var span = GenAiFacts.asked(tracer, operation, provider, model)
                .setParent(asking.otel())
                .startSpan();
        return (usage, error) -> GenAiFacts.end(span, usage, error);
    }

    @Override
    public boolean take(List<AgentSpan> told) {
        told.forEach(span -> queue.onEnd(new EndedSpan(span)));
        return true;
    }

    @Override
    public void end(Duration max) {
        sdk.shutdown().join(max.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public <R> @Nullable Step receiveRequest(
            Context context,
            SpanKind kind,
            TracingPolicy policy,
            R request,
            String operation,
            Iterable<Entry<String, String>> headers,
            TagExtractor<R> tags) {
        if (policy == TracingPolicy.IGNORE || Untraced.is(request)) {
            return null;
        }
        var parent = propagator.extract(io.opentelemetry.context.Context.root(), headers, HEADERS);
        var isContinued = io.opentelemetry.api.trace.Span.fromContext(parent)
                .getSpanContext()
                .isValid();
        if (policy == TracingPolicy.PROPAGATE && !isContinued) {
            return null;
        }
        var step = start(Facts.served(tracer, request, operation, tags), parent);
        STEP.put(context, step);
        return step;
    }

    @Override
    public <R> void sendResponse(
            Context context,
            @Nullable R response,
            @Nullable Step step,
            @Nullable Throwable failure,
            TagExtractor<R> tags) {
        if (step != null) {
            step.end(response, failure, true);
        }
    }

    @Override
    public <R> @Nullable Step sendRequest(
            @Nullable Context context,
            SpanKind kind,
            TracingPolicy policy,
            @Nullable R request,
            String operation,
            BiConsumer<String, String> headers,
            TagExtractor<R> tags) {
        if (context == null || request == null || policy == TracingPolicy.IGNORE) {
            return null;
        }
        var asking = under(context);
        if (asking == null) {
            return null; // whatever the policy says: outside a request each call would be a trace of its own
        }
        var step = start(Facts.asked(tracer, request, operation, tags), asking.otel());
        propagator.inject(step.otel(), headers, BiConsumer::accept);
        return step;
    }

    @Override
    public <R> void receiveResponse(
            @Nullable Context context,
            @Nullable R response,
            @Nullable Step step,
            @Nullable Throwable failure,
            TagExtractor<R> tags) {
        if (step != null) {
            step.end(response, failure, false);
        }
    }

    /** Spans may still end while Vert.x closes; {@link #end} comes after it. */
    @Override
    public void close() {}

    private static Step start(SpanBuilder span, io.opentelemetry.context.Context parent) {
        return new Step(span.setParent(parent).startSpan(), parent);
    }

    private static @Nullable Step under(Context context) {
        var step = STEP.get(context);
        return step == null || step.isOver() ? null : step;
    }

    /** Of the headers of a request or a bus message, which Vert.x shows as entries. */
    private static final class HeaderReader implements TextMapGetter<Iterable<Entry<String, String>>> {

        @Override
        public Iterable<String> keys(Iterable<Entry<String, String>> headers) {
            return () -> new java.util.Iterator<>() {
                private final java.util.Iterator<Entry<String, String>> entries = headers.iterator();

                @Override
                public boolean hasNext() {
                    return entries.hasNext();
                }

                @Override
                public String next() {
                    return entries.next().getKey();
                }
            };
        }

        @Override
        public @Nullable String get(@Nullable Iterable<Entry<String, String>> headers, String name) {
            if (headers != null) {
                for (var header : headers) {
                    if (header.getKey().equalsIgnoreCase(name)) {
                        return header.getValue();
                    }
                }
            }
            return null;
        }
    }
}
