package ai.molecule.common.tracing;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** Sets OpenTelemetry up from {@link TracingConfig}: spans only, over HTTP, with every buffer bounded. */
final class Exporting {

    /** Of one attribute, in characters; what is longer is cut. The longest there are is the text of a query. */
    private static final int VALUE_LENGTH_MAX = 500;

    private static final int ATTRIBUTES_MAX = 32;

    /**
     * OpenTelemetry's defaults, written down: up to 2,048 spans wait, further ones are dropped; a batch has at most 512, is sent
     * every 5 s or when it is full, by one thread, and is given up after 10 s.
     */
    private static final Map<String, String> DEFAULTS = Map.of(
            "otel.bsp.max.queue.size", "2048",
            "otel.bsp.max.export.batch.size", "512",
            "otel.bsp.schedule.delay", "5000",
            "otel.bsp.export.timeout", "10000",
            "otel.exporter.otlp.timeout", "10000");

    /** Baggage is not passed on: it would carry strangers' words to agents. */
    private static final Map<String, String> FIXED = Map.of(
            "otel.traces.exporter", "otlp",
            "otel.metrics.exporter", "none",
            "otel.logs.exporter", "none",
            "otel.propagators", "tracecontext",
            "otel.exporter.otlp.protocol", "http/protobuf");

    private Exporting() {}

    static SpanTracer begin(TracingConfig config, String service) {
        ExporterLog.keepShort();
        List<SpanProcessor> queues = new CopyOnWriteArrayList<>();
        return new SpanTracer(sdk(config, service, queues), SpanProcessor.composite(queues));
    }

    /** @param queues gets what spans wait in */
    private static OpenTelemetrySdk sdk(TracingConfig config, String service, List<SpanProcessor> queues) {
        Map<String, String> chosen = new HashMap<>();
        config.variables().forEach((name, value) -> chosen.put(propertyOf(name), value));
        chosen.putIfAbsent(
                "otel.traces.sampler", "parentbased_always_on"); // else one that is set to nothing is refused
        chosen.putAll(FIXED);
        Map<String, String> defaults = new HashMap<>(DEFAULTS);
        defaults.put("otel.service.name", service);
        try {
            return AutoConfiguredOpenTelemetrySdk.builder()
                    .disableShutdownHook()
                    .addPropertiesSupplier(() -> defaults)
                    .addPropertiesCustomizer(before -> chosen)
                    .addSpanProcessorCustomizer((queue, properties) -> {
                        queues.add(queue);
                        return queue;
                    })
                    .addTracerProviderCustomizer((provider, properties) -> provider.setSpanLimits(SpanLimits.builder()
                            .setMaxNumberOfAttributes(ATTRIBUTES_MAX)
                            .setMaxAttributeValueLength(VALUE_LENGTH_MAX)
                            .build()))
                    .build()
                    .getOpenTelemetrySdk();
        } catch (ConfigurationException misunderstood) {
            throw new IllegalArgumentException("tracing: " + misunderstood.getMessage(), misunderstood);
        }
    }

    private static String propertyOf(String variable) {
        return variable.toLowerCase(Locale.ROOT).replace('_', '.');
    }
}
