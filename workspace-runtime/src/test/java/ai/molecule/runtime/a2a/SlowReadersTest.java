package ai.molecule.runtime.a2a;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.tasks.IncomingMessage;
import ai.molecule.runtime.tasks.Tasks;
import ai.molecule.runtime.tasks.WorkMeter;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a reader who does not read makes the agent hold: nothing beyond the task itself. */
class SlowReadersTest {

    private final Vertx vertx = Vertx.vertx();
    private final ScriptedExecutor executor = new ScriptedExecutor();
    private final Tasks tasks = new Tasks(executor, new WorkMeter(), Clock.systemUTC(), 16L * 1024 * 1024);
    private final FakeConnection connection = new FakeConnection();

    @AfterEach
    void stop() {
        vertx.close().await();
    }

    @Test
    void nothing_is_written_to_a_full_connection_and_everything_once_there_is_room() {
        // Given
        connection.full = true;
        var message = AgentUnderTest.message("m1", "flood").path("message");
        var incoming = new IncomingMessage(
                "m1", Optional.empty(), Optional.empty(), "flood", message, message.path("metadata"), 0);
        var accepted = tasks.accept(incoming);
        var envelope = new AnswerEnvelope.OfRpc(message.path("none"), new WireForm03(Dialect.PLATFORM), true);
        Context context = vertx.getOrCreateContext();
        var stream = new SseStream(
                context, connection, () -> {}, envelope, accepted.task().follow());
        context.runOnContext(go -> stream.start(1));
        await().until(() -> connection.written.size() == 1);

        // When
        tasks.start(accepted, incoming);
        await().until(() -> accepted.task().snapshot().state().isFinal());

        // Then
        assertThat(connection.written).hasSize(1);
        context.runOnContext(go -> connection.makeRoom());
        await().until(() -> connection.ended);
        assertThat(connection.written)
                .filteredOn(event -> event.contains("artifact-update"))
                .hasSize(ScriptedExecutor.FLOOD_CHUNKS);
        assertThat(connection.written.getLast()).contains("\"final\":true");
    }
}
