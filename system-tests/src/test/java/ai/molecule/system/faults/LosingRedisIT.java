package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.EventStream;
import ai.molecule.system.Platform;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis is killed under heartbeats, stays away for longer than the liveness TTL, comes back, and is emptied. */
@Tag("full")
class LosingRedisIT {

    private static final Duration AWAY = Duration.ofSeconds(5);

    private final Map<String, Integer> received = new ConcurrentHashMap<>();

    @Test
    void every_heartbeat_is_answered_and_nobody_is_called_dead_and_events_flow(@TempDir Path data, @TempDir Path stores)
            throws IOException {
        try (var redis = new RestartedRedis(stores);
                var platform = Platform.up(environment(redis), data, "--no-demo");
                var canvas = new EventStream(platform);
                var answering = new SocketAgent(SocketAgent.counts(received));
                var follower = new Follower(platform.url);
                var load = new Load(refused -> false)) {
            // Given
            var client = new Client(platform.url);
            List<Agent> steady = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                steady.add(Agent.join(client, "Steady " + i));
            }
            var silent = Agent.join(client, "Silent");
            steady.forEach(agent -> load.repeat(number -> agent.heartbeat(client)));
            String asked = answering.register(platform, "Asked");
            var asking = load.repeat(
                    number -> client.post("/workspaces/" + asked + "/a2a", SocketAgent.message("m-" + number)));
            var beating = load.repeat(number -> silent.heartbeat(client));
            awaitSuccesses(load, 50);

            // When
            redis.kill();
            String whileAway = platform.create("While away", "echo", null);
            await().pollDelay(AWAY).until(() -> true); // longer than the TTL
            redis.start();
            redis.flush();
            String afterwards = platform.create("Afterwards", "echo", null);
            beating.cancel(false);
            asking.cancel(false); // one page of activity shows 500

            // Then
            platform.awaitStatus(silent.id(), "offline"); // death is noticed again
            load.close();
            assertThat(load.wrong()).isEmpty();
            assertThat(steady).allSatisfy(agent -> {
                assertThat(platform.status(agent.id())).isEqualTo("online");
                assertThat(platform.get("/events/" + agent.id()).findValuesAsText("event_type"))
                        .doesNotContain("WORKSPACE_OFFLINE");
            });
            assertThat(received).allSatisfy((id, times) -> assertThat(times).isEqualTo(1));
            await().untilAsserted(() -> assertThat(platform.get("/workspaces/" + asked + "/activity?limit=500")
                            .findValuesAsText("messageId"))
                    .containsExactlyInAnyOrderElementsOf(received.keySet()));
            await().untilAsserted(() -> {
                assertThat(canvas.namesOf(silent.id())).endsWith("WORKSPACE_OFFLINE");
                assertThat(canvas.namesOf(whileAway)).startsWith("WORKSPACE_PROVISIONING");
                assertThat(canvas.namesOf(afterwards)).startsWith("WORKSPACE_PROVISIONING");
            });
            assertThat(canvas.positions()).doesNotHaveDuplicates().isSorted();
            LogTable.of(platform).awaitFollowed(follower);
        }
    }

    private static Map<String, String> environment(RestartedRedis redis) {
        return Map.of(
                "REDIS_URL", redis.url(),
                "REMOTE_LIVENESS_STALE_AFTER", "4",
                "MOLECULE_LIVENESS_TTL_SECONDS", "4",
                "RATE_LIMIT", "10000000");
    }

    private static void awaitSuccesses(Load load, int more) {
        int before = load.succeeded();
        await().until(() -> load.succeeded() >= before + more);
    }
}
