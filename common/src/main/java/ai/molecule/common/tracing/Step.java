package ai.molecule.common.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/** One span of a trace, from a request that came or went to its answer. Ends once, however often it is told to. */
final class Step implements Tracing.Span {

    private final Span span;
    private final Context otel;
    private volatile boolean over;

    Step(Span span, Context parent) {
        this.span = span;
        this.otel = parent.with(span);
    }

    /** The parent of spans that begin within this one. */
    Context otel() {
        return otel;
    }

    boolean isOver() {
        return over;
    }

    @Override
    public void isCalled(String name, String route) {
        span.updateName(name);
        span.setAttribute(Facts.ROUTE, route);
    }

    @Override
    public void says(RpcFact fact, String value) {
        if (RpcFact.mayBeTold(value)) {
            span.setAttribute(fact.key, value);
        }
    }

    @Override
    public String traceId() {
        return span.getSpanContext().getTraceId();
    }

    @Override
    public String traceparent() {
        var context = span.getSpanContext();
        return "00-" + context.getTraceId() + "-" + context.getSpanId() + "-"
                + context.getTraceFlags().asHex();
    }

    /** @param served whether it was asked of us, when only what is our own fault counts as an error */
    void end(@Nullable Object response, @Nullable Throwable failure, boolean served) {
        if (!over) {
            over = true;
            Facts.end(span, response, failure, served);
            span.end();
        }
    }
}
