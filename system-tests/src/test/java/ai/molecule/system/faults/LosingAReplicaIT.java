package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.EventStream;
import ai.molecule.system.Platform;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two registries share the work; the one that looks after the living is killed and nobody starts it again. */
@Tag("full")
class LosingAReplicaIT {

    /** The TTL of 12 s, 2 s, and 10 s for the takeover; several times that, for a machine with other work. */
    private static final Duration SILENCE_MAX = Duration.ofMinutes(3);

    /** Long enough that who beats ten times a second is not silent for it on a machine that stands still for a while. */
    private static final Map<String, String> QUICK = Map.of(
            "REMOTE_LIVENESS_STALE_AFTER", "12",
            "MOLECULE_LIVENESS_TTL_SECONDS", "12",
            "RATE_LIMIT", "10000000");

    private final Set<String> created = ConcurrentHashMap.newKeySet();

    @Test
    void the_other_serves_and_takes_over_and_no_event_is_lost_or_doubled(@TempDir Path data) throws IOException {
        try (var platform = Platform.up(QUICK, data, "--no-demo", "--split")) {
            var registry = platform.processWith("RegistryMain").orElseThrow();
            var first = Replica.clientOf("registry", registry);
            try (var replica = Replica.beside("registry", registry, data);
                    var canvas = new EventStream(platform);
                    var dying = new Load(refused -> true);
                    var living = new Load(refused -> false);
                    var load = new Load(refused -> false)) {
                // Given
                await().until(replica::isReady);
                var second = replica.client;
                var steady = Agent.join(second, "Steady");
                var silent = Agent.join(first, "Silent");
                living.repeat(number -> steady.heartbeat(second)); // until all is looked at
                load.repeat(number -> create(second, "Second " + number));
                dying.repeat(number -> silent.heartbeat(first));
                dying.repeat(number -> create(first, "First " + number));
                await().until(() -> load.succeeded() > 25 && living.succeeded() > 25 && dying.succeeded() > 50);

                // When
                Signals.send("STOP", platform.platformPid()); // it would start another
                registry.destroyForcibly();
                dying.close();

                // Then
                await().atMost(SILENCE_MAX).until(() -> statusOf(second, silent).equals("offline"));
                int before = load.succeeded();
                int beats = living.succeeded();
                await().until(() -> load.succeeded() > before + 10 && living.succeeded() > beats + 10);
                load.close();
                assertThat(load.wrong()).isEmpty();
                assertThat(statusOf(second, steady)).isEqualTo("online");
                await().untilAsserted(
                                () -> assertThat(canvas.namesOf(silent.id())).contains("WORKSPACE_OFFLINE"));
                await().untilAsserted(() -> assertThat(created)
                        .allSatisfy(id -> assertThat(canvas.namesOf(id))
                                .containsExactly("WORKSPACE_PROVISIONING", "WORKSPACE_AWAITING_AGENT")));
                assertThat(canvas.namesOf(silent.id())).containsOnlyOnce("WORKSPACE_OFFLINE");
                assertThat(canvas.namesOf(steady.id())).doesNotContain("WORKSPACE_OFFLINE");
                assertThat(canvas.positions()).doesNotHaveDuplicates().isSorted();
                living.close();
                assertThat(living.wrong()).isEmpty();
            } finally {
                Signals.send("CONT", platform.platformPid());
            }
        }
    }

    private Client.Answer create(Client client, String name) throws IOException {
        var answer = client.post("/workspaces", "{\"name\":\"%s\",\"external\":true}".formatted(name));
        if (answer.good()) {
            created.add(answer.json().get("id").asText());
        }
        return answer;
    }

    private static String statusOf(Client client, Agent agent) throws IOException {
        return client.get("/workspaces/" + agent.id()).json().get("status").asText();
    }
}
