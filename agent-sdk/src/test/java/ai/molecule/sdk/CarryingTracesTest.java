package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpRequest;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is sent while a message is worked on belongs to the trace it came with. */
class CarryingTracesTest {

    private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    @Test
    void a_trace_holds_during_the_work_in_it_and_not_after() {
        var trace = TraceContext.of(Optional.of(TRACE), Optional.of("a=1"));

        assertThat(trace.during(CarryingTracesTest::sent)).isEqualTo(TRACE + " a=1");
        assertThat(sent()).isEqualTo("- -");
    }

    @Test
    void a_message_of_no_trace_within_another_has_none() {
        var none = TraceContext.of(Optional.empty(), Optional.of("a=1"));

        String seen = TraceContext.of(Optional.of(TRACE), Optional.empty())
                .during(() -> none.during(CarryingTracesTest::sent) + ", " + sent());

        assertThat(seen).isEqualTo("- -, " + TRACE + " -");
    }

    @Test
    void threads_that_are_started_meanwhile_are_in_it() {
        String seen = TraceContext.of(Optional.of(TRACE), Optional.empty()).during(() -> {
            var threads = Executors.newSingleThreadExecutor();
            try {
                return threads.submit(CarryingTracesTest::sent).get();
            } catch (InterruptedException | ExecutionException broken) {
                throw new IllegalStateException(broken);
            } finally {
                threads.shutdown();
            }
        });

        assertThat(seen).isEqualTo(TRACE + " -");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "00-4bf9-00f0-01", TRACE + "\r\nX-Evil: 1", TRACE + "-more"})
    void what_is_no_traceparent_is_not_passed_on(String malformed) {
        assertThat(TraceContext.of(Optional.of(malformed), Optional.of("a=1")).during(CarryingTracesTest::sent))
                .isEqualTo("- -");
    }

    private static String sent() {
        var request = TraceContext.told(HttpRequest.newBuilder(URI.create("http://127.0.0.1/")))
                .build();
        return request.headers().firstValue("traceparent").orElse("-") + " "
                + request.headers().firstValue("tracestate").orElse("-");
    }
}
