package ai.molecule.provisioner.reconcile;

import static ai.molecule.provisioner.testing.WorkspaceBuilder.workspace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.SendAsSystem;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** An agent that comes back hears what it comes back to. */
@ExtendWith(VertxExtension.class)
class TellingOfARestartTest {

    private static final Instant NOW = Instant.parse("2026-11-01T12:00:00.123Z");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    @SuppressWarnings("NullAway.Init")
    private Provisioning provisioning;

    private final List<SendAsSystem> said = new CopyOnWriteArrayList<>();

    @BeforeEach
    void start(Vertx vertx) {
        new Bus(vertx)
                .serve(SendAsSystem.CONTRACT, message -> {
                    said.add(message);
                    return Future.succeededFuture(new SendAsSystem.Sent(true));
                })
                .await();
        provisioning = new Provisioning(vertx, data, ScriptedAgents.STEADY).start();
    }

    @AfterEach
    void close() {
        provisioning.close();
    }

    @Test
    void a_restarted_agent_is_told_once_it_is_online_and_hears_no_secret() {
        provisioning.registry.secrets(Map.of("OPENAI_API_KEY", "sk-secret", "A_KEY", "hidden"));
        var first = provisioning.registry.create("echo");
        provisioning.reconcile(first);
        provisioning.registry.online(first);
        provisioning.registry.restart(first);
        provisioning.reconcile(first);
        assertThat(said).isEmpty();

        provisioning.registry.online(first);

        await().until(() -> said.size() == 1);
        var message = said.getFirst();
        assertThat(message.workspaceId()).isEqualTo(first);
        assertThat(message.name()).isEqualTo("restart-context");
        assertThat(message.text())
                .contains("Env vars now available: A_KEY, OPENAI_API_KEY\n")
                .doesNotContain("sk-secret", "hidden");
        assertThat(message.metadata())
                .isEqualTo(
                        Map.of("source", "platform", "kind", "restart_context", "layer", 1, "restart_context", true));
    }

    @Test
    void while_recordings_answer_nothing_is_said_because_no_recording_has_its_times(Vertx vertx) {
        var looks = new AtomicInteger();
        Function<Duration, Future<Void>> never = pause -> {
            looks.incrementAndGet();
            return Promise.<Void>promise().future();
        };
        var restarted = workspace(UUID.randomUUID()).incarnation(2).build();

        new RestartContexts(never, new Bus(vertx), Clock.systemUTC(), true).tell(restarted, Set.of());
        assertThat(looks).hasValue(0);

        new RestartContexts(never, new Bus(vertx), Clock.systemUTC(), false).tell(restarted, Set.of());
        assertThat(looks).hasValue(1);
    }

    @Test
    void its_text_says_when_the_session_before_ended() {
        var context = new RestartContext(NOW, NOW.minusSeconds(3_725), Set.of("B", "A"));

        assertThat(context.text()).isEqualTo("""
                === WORKSPACE RESTART CONTEXT ===
                Restart at: 2026-11-01T12:00:00Z
                Previous session ended: 2026-11-01T10:57:55Z (1h2m ago)
                Env vars now available: A, B
                === END RESTART CONTEXT ===
                """);
    }

    @Test
    void its_text_says_so_when_there_was_no_session_and_there_are_no_variables() {
        var context = new RestartContext(NOW, null, Set.of());

        assertThat(context.text())
                .contains("Previous session ended: (no prior session on record)\n")
                .contains("Env vars now available: (none)\n");
        assertThat(new RestartContext(NOW, NOW.minusSeconds(61), Set.of()).text())
                .contains("(1m1s ago)");
        assertThat(new RestartContext(NOW, NOW.plusSeconds(1), Set.of()).text()).contains("(0s ago)");
    }
}
