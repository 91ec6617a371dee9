package ai.molecule.common.testing;

import ai.molecule.common.config.Env;
import ai.molecule.common.tracing.TracingConfig;
import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** A collector: takes OTLP over HTTP on a free port and keeps every span. */
public final class TraceCollector implements AutoCloseable {

    /** @param parentId empty for the first of a trace */
    public record Exported(
            String service,
            String name,
            Span.SpanKind kind,
            String traceId,
            String spanId,
            String parentId,
            Map<String, String> attributes,
            boolean failed,
            String whole) {}

    public final List<Exported> spans = new CopyOnWriteArrayList<>();
    public final List<Map<String, List<String>>> headers = new CopyOnWriteArrayList<>();

    private final HttpServer server;

    private TraceCollector(HttpServer server) {
        this.server = server;
    }

    public static TraceCollector start() throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        var collector = new TraceCollector(server);
        server.createContext("/v1/traces", collector::take);
        server.start();
        return collector;
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** What sends spans here soon; {@code more} is name, value, name, value, … */
    public TracingConfig config(String... more) {
        return configFor(url(), more);
    }

    public static TracingConfig configFor(String endpoint, String... more) {
        Map<String, String> variables = new HashMap<>();
        variables.put("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
        variables.put("OTEL_BSP_SCHEDULE_DELAY", "50");
        for (int i = 0; i < more.length; i += 2) {
            variables.put(more[i], more[i + 1]);
        }
        var config = TracingConfig.fromEnv(new Env(variables));
        if (config == null) {
            throw new IllegalArgumentException("tracing would be off");
        }
        return config;
    }

    public Optional<Exported> find(String traceId, String name, Span.SpanKind kind) {
        return spans.stream()
                .filter(span -> span.traceId.equals(traceId) && span.name.equals(name) && span.kind == kind)
                .findFirst();
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange) {
            headers.add(Map.copyOf(exchange.getRequestHeaders()));
            var request = ExportTraceServiceRequest.parseFrom(exchange.getRequestBody());
            for (var resource : request.getResourceSpansList()) {
                String service =
                        attributes(resource.getResource().getAttributesList()).getOrDefault("service.name", "");
                for (var scope : resource.getScopeSpansList()) {
                    scope.getSpansList().forEach(span -> spans.add(exported(service, span)));
                }
            }
            exchange.sendResponseHeaders(200, -1);
        }
    }

    private static Exported exported(String service, Span span) {
        return new Exported(
                service,
                span.getName(),
                span.getKind(),
                hex(span.getTraceId()),
                hex(span.getSpanId()),
                hex(span.getParentSpanId()),
                attributes(span.getAttributesList()),
                span.getStatus().getCode() == Status.StatusCode.STATUS_CODE_ERROR,
                span.toString());
    }

    private static Map<String, String> attributes(List<KeyValue> all) {
        Map<String, String> attributes = new HashMap<>();
        all.forEach(one -> attributes.put(one.getKey(), text(one.getValue())));
        return attributes;
    }

    private static String text(AnyValue value) {
        return value.hasIntValue() ? Long.toString(value.getIntValue()) : value.getStringValue();
    }

    private static String hex(ByteString bytes) {
        return HexFormat.of().formatHex(bytes.toByteArray());
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
