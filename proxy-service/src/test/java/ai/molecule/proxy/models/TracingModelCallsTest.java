package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TraceCollector;
import ai.molecule.common.testing.TraceCollector.Exported;
import ai.molecule.common.tracing.Tracing;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A call of a model stands in the trace of what its agent works on, by the names that tools for models know. */
class TracingModelCallsTest {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    @Test
    void it_says_which_model_was_asked_and_what_it_used(@TempDir Path folder) throws Exception {
        try (var collector = TraceCollector.start()) {
            var tracing = Tracing.begin(collector.config(), "proxy-service");
            var vertx = tracing.over(Vertx.builder()).build();
            var door = new DoorUnderTest(vertx, folder);
            door.provider.saysWhole("{\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20}}");

            door.ask(
                    DoorUnderTest.CHAT,
                    "{\"model\":\"fake:m\"}",
                    "traceparent",
                    "00-" + TRACE + "-00f067aa0ba902b7-01");

            var request = span(collector, "POST /models/openai/v1/chat/completions");
            var call = span(collector, "chat m");
            assertThat(call.parentId()).isEqualTo(request.spanId());
            assertThat(call.attributes())
                    .containsEntry("gen_ai.operation.name", "chat")
                    .containsEntry("gen_ai.provider.name", "fake")
                    .containsEntry("gen_ai.request.model", "m")
                    .containsEntry("gen_ai.usage.input_tokens", "100")
                    .containsEntry("gen_ai.usage.output_tokens", "20")
                    .doesNotContainKey("error.type");
            assertThat(door.row().getString("trace_id")).isEqualTo(TRACE);
            vertx.close().await();
            tracing.end(Duration.ofSeconds(5));
        }
    }

    private static Exported span(TraceCollector collector, String name) {
        return await().until(
                        () -> collector.spans.stream()
                                .filter(one -> one.traceId().equals(TRACE)
                                        && one.name().equals(name))
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }
}
