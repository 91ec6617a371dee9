package ai.molecule.common.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationLibraryInfo;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A span that somebody else began and ended, for the queue that our own are in: OpenTelemetry's API begins only new ones. */
@SuppressWarnings("deprecation") // its interfaces still ask for it
final class EndedSpan implements ReadableSpan, SpanData {

    private static final String SCOPE = "ai.molecule.agent";
    private static final AttributeKey<String> SERVICE = AttributeKey.stringKey("service.name");
    private static final AttributeKey<String> WORKSPACE = AttributeKey.stringKey("molecule.workspace.id");

    private final AgentSpan span;
    private final Attributes facts;
    private final Resource resource;

    EndedSpan(AgentSpan span) {
        this.span = span;
        this.resource = Resource.create(Attributes.of(
                SERVICE, "molecule-agent", WORKSPACE, span.workspaceId().toString()));
        AttributesBuilder all = Attributes.builder();
        span.facts().forEach((name, value) -> {
            if (value instanceof Long number) {
                all.put(name, number);
            } else {
                all.put(name, value.toString());
            }
        });
        this.facts = all.build();
    }

    @Override
    public SpanContext getSpanContext() {
        return SpanContext.create(span.traceId(), span.spanId(), TraceFlags.getSampled(), TraceState.getDefault());
    }

    @Override
    public SpanContext getParentSpanContext() {
        return span.parentId().isEmpty()
                ? SpanContext.getInvalid()
                : SpanContext.createFromRemoteParent(
                        span.traceId(), span.parentId(), TraceFlags.getSampled(), TraceState.getDefault());
    }

    @Override
    public String getName() {
        return span.name();
    }

    @Override
    public SpanKind getKind() {
        return span.client() ? SpanKind.CLIENT : SpanKind.INTERNAL;
    }

    @Override
    public StatusData getStatus() {
        return span.failed() ? StatusData.error() : StatusData.unset();
    }

    @Override
    public long getStartEpochNanos() {
        return span.startNanos();
    }

    @Override
    public long getEndEpochNanos() {
        return span.endNanos();
    }

    @Override
    public long getLatencyNanos() {
        return span.endNanos() - span.startNanos();
    }

    @Override
    public boolean hasEnded() {
        return true;
    }

    @Override
    public Attributes getAttributes() {
        return facts;
    }

    @Override
    public <T> @Nullable T getAttribute(AttributeKey<T> key) {
        return facts.get(key);
    }

    @Override
    public int getTotalAttributeCount() {
        return facts.size();
    }

    @Override
    public List<EventData> getEvents() {
        return List.of();
    }

    @Override
    public List<LinkData> getLinks() {
        return List.of();
    }

    @Override
    public int getTotalRecordedEvents() {
        return 0;
    }

    @Override
    public int getTotalRecordedLinks() {
        return 0;
    }

    @Override
    public Resource getResource() {
        return resource;
    }

    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
        return InstrumentationScopeInfo.create(SCOPE);
    }

    @Override
    public InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
        return InstrumentationLibraryInfo.create(SCOPE, null);
    }

    @Override
    public SpanData toSpanData() {
        return this;
    }
}
