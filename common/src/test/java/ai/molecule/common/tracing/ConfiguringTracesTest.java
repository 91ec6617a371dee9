package ai.molecule.common.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import ai.molecule.common.config.Env;
import ai.molecule.common.testing.TraceCollector;
import ai.molecule.testkit.Kept;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** OpenTelemetry's own variables, as far as they are honoured. */
class ConfiguringTracesTest {

    @Test
    void without_an_endpoint_or_switched_off_there_is_no_tracing() {
        assertThat(TracingConfig.fromEnv(new Env(Map.of("OTEL_SERVICE_NAME", "x"))))
                .isNull();
        for (var off : List.of(Map.of("OTEL_SDK_DISABLED", "true"), Map.of("OTEL_TRACES_EXPORTER", "none"))) {
            var variables = new HashMap<>(off);
            variables.put("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
            assertThat(TracingConfig.fromEnv(new Env(variables))).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"collector:4318", "grpc://collector:4317", "http:///v1", "http://bad host"})
    void an_endpoint_that_is_no_url_is_refused(String endpoint) {
        assertThatThrownBy(() -> TraceCollector.configFor(endpoint))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL");
    }

    @Test
    void other_protocols_and_samplers_nobody_knows_are_refused() {
        assertThatThrownBy(
                        () -> TraceCollector.configFor("http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"))
                .hasMessage("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf");
        var config = TraceCollector.configFor("http://127.0.0.1:4318", "OTEL_TRACES_SAMPLER", "sometimes");
        assertThatThrownBy(() -> Tracing.begin(config, "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("otel.traces.sampler");
    }

    @Test
    void a_credential_may_come_from_a_file_and_is_sent_but_never_shown(@TempDir Path folder) throws Exception {
        var file = Files.writeString(folder.resolve("headers"), "authorization=Bearer t0p-secret\n");
        try (var collector = TraceCollector.start()) {
            var config = collector.config("OTEL_EXPORTER_OTLP_HEADERS_FILE", file.toString());

            traceOne(config);

            assertThat(config.toString()).doesNotContain("t0p-secret").contains("OTEL_EXPORTER_OTLP_HEADERS");
            assertThat(collector.headers.getFirst()).containsEntry("Authorization", List.of("Bearer t0p-secret"));
        }
    }

    @Test
    void what_was_not_sent_yet_is_sent_at_the_end_under_the_name_and_attributes_that_were_set() throws Exception {
        try (var collector = TraceCollector.start()) {
            traceOne(collector.config(
                    "OTEL_BSP_SCHEDULE_DELAY",
                    "3600000",
                    "OTEL_SERVICE_NAME",
                    "mine",
                    "OTEL_RESOURCE_ATTRIBUTES",
                    "service.namespace=here"));

            assertThat(collector.spans)
                    .extracting(TraceCollector.Exported::name, TraceCollector.Exported::service)
                    .containsExactly(tuple("GET", "mine"));
        }
    }

    @Test
    void a_sampler_decides_how_much_is_exported() throws Exception {
        try (var collector = TraceCollector.start()) {
            traceOne(collector.config(
                    "OTEL_TRACES_SAMPLER", "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG", "0"));

            assertThat(collector.spans).isEmpty();
        }
    }

    /** One request to a server that is traced, until all is sent. */
    private static void traceOne(TracingConfig config) {
        var tracing = Tracing.begin(config, "x");
        var vertx = tracing.over(Vertx.builder()).build();
        var server = vertx.createHttpServer()
                .requestHandler(request -> request.response().end())
                .listen(0, "127.0.0.1")
                .await();
        Kept.kept(vertx.createHttpClient())
                .request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/")
                .compose(request -> request.send().compose(response -> response.end()))
                .await();
        vertx.close().await();
        tracing.end(Duration.ofSeconds(10));
    }
}
