package ai.molecule.common.tracing;

import ai.molecule.common.config.Env;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where traces go, in OpenTelemetry's own variables; each may come from a file, by its name with {@code _FILE}.
 *
 * @param variables those of {@link #NAMES} that are set
 */
public record TracingConfig(Map<String, String> variables) {

    /** Switches tracing on: {@code http://collector:4318}, to which {@code /v1/traces} is added. */
    private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";

    private static final String PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL";
    private static final String HTTP = "http/protobuf";

    private static final List<String> NAMES = List.of(
            ENDPOINT,
            "OTEL_EXPORTER_OTLP_HEADERS",
            "OTEL_EXPORTER_OTLP_TIMEOUT",
            "OTEL_EXPORTER_OTLP_CERTIFICATE",
            "OTEL_EXPORTER_OTLP_COMPRESSION",
            "OTEL_SERVICE_NAME",
            "OTEL_RESOURCE_ATTRIBUTES",
            "OTEL_TRACES_SAMPLER",
            "OTEL_TRACES_SAMPLER_ARG",
            "OTEL_BSP_SCHEDULE_DELAY",
            "OTEL_BSP_MAX_QUEUE_SIZE",
            "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
            "OTEL_BSP_EXPORT_TIMEOUT");

    public TracingConfig {
        variables = Map.copyOf(variables);
    }

    /**
     * Null when tracing is off: without {@code OTEL_EXPORTER_OTLP_ENDPOINT}, with {@code OTEL_SDK_DISABLED=true} and with {@code
     * OTEL_TRACES_EXPORTER=none}.
     *
     * @throws IllegalArgumentException for an endpoint that is no http or https URL, and a protocol other than {@code
     *     http/protobuf}
     */
    public static @Nullable TracingConfig fromEnv(Env env) {
        String endpoint = env.find(ENDPOINT);
        if (endpoint == null
                || "true".equalsIgnoreCase(env.find("OTEL_SDK_DISABLED"))
                || "none".equals(env.find("OTEL_TRACES_EXPORTER"))) {
            return null;
        }
        if (!isHttp(endpoint)) {
            throw new IllegalArgumentException(ENDPOINT + " must be an http or https URL");
        }
        if (!HTTP.equals(env.text(PROTOCOL, HTTP))) {
            throw new IllegalArgumentException(PROTOCOL + " must be " + HTTP);
        }
        Map<String, String> variables = new TreeMap<>();
        for (String name : NAMES) {
            String value = env.find(name);
            if (value != null) {
                variables.put(name, value);
            }
        }
        return new TracingConfig(variables);
    }

    private static boolean isHttp(String url) {
        try {
            var uri = URI.create(url);
            return ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme())) && uri.getHost() != null;
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    /** Without values: headers are credentials. */
    @Override
    public String toString() {
        return "TracingConfig" + new TreeMap<>(variables).keySet();
    }
}
