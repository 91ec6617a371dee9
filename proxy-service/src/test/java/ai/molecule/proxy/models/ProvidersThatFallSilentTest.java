package ai.molecule.proxy.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A provider that says nothing, or nothing more, for longer than the door waits. */
@ExtendWith(VertxExtension.class)
class ProvidersThatFallSilentTest {

    private static final Duration PATIENCE = Duration.ofMillis(800);

    @SuppressWarnings("NullAway.Init")
    private DoorUnderTest door;

    @BeforeEach
    void start(Vertx vertx, @TempDir Path folder) {
        door = new DoorUnderTest(vertx, folder, limits -> limits.withTimes(PATIENCE, PATIENCE));
    }

    @Test
    void one_that_does_not_begin_is_given_up() {
        door.provider.answer = response -> {};

        var response = door.ask(DoorUnderTest.CHAT, DoorUnderTest.STREAMED);

        assertThat(response.statusCode()).isEqualTo(504);
        assertThat(door.row().getString("outcome")).isEqualTo("timed_out");
        assertThat(door.row().getBoolean("estimated")).isTrue();
        assertThat(door.provider.asked).hasSize(1);
    }

    @Test
    void a_stream_that_falls_silent_ends_with_an_error() {
        door.provider.answer = response -> {
            FakeProvider.events(response);
            response.write("data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":10}}}\n\n");
        };

        var response = door.ask(DoorUnderTest.MESSAGES, DoorUnderTest.STREAMED);

        assertThat(response.bodyAsString()).contains("event: error\ndata: {\"type\":\"error\"");
        assertThat(door.row().getString("outcome")).isEqualTo("timed_out");
        assertThat(door.row().getLong("tokens_in")).isEqualTo(10);
    }

    /** What nobody sees is billed by the time that it took. */
    @Test
    void a_stream_that_thinks_until_nobody_waits_costs_what_it_may_have_thought() {
        door.proxy.platform.budgets.put(door.workspace, 50L);
        door.provider.answer = response -> {};

        door.ask(DoorUnderTest.CHAT, "{\"model\":\"m\",\"stream\":true,\"reasoning_effort\":\"high\"}");
        door.ask(DoorUnderTest.CHAT, DoorUnderTest.STREAMED);

        var rows = door.rows(2);
        assertThat(rows.get(0).getLong("tokens_out")).isBetween(PATIENCE.toMillis() / 10, 32_768L);
        assertThat(rows.get(1).getLong("tokens_out")).isZero();
    }
}
