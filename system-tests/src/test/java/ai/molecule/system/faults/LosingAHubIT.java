package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two hubs serve the same events; the one that numbers them is killed and nobody starts it again. */
@Tag("full")
class LosingAHubIT {

    @Test
    void its_clients_go_on_at_the_other_and_miss_and_repeat_nothing(@TempDir Path data) throws Exception {
        try (var platform = Platform.up(Map.of("RATE_LIMIT", "10000000"), data, "--no-demo", "--split")) {
            var hub = platform.processWith("EventsMain").orElseThrow();
            String first = Replica.clientOf("events", hub).url;
            try (var replica = Replica.beside("events", hub, data);
                    var load = new Load(refused -> false)) {
                // Given
                await().until(replica::isReady);
                String second = replica.client.url;
                var client = new Client(platform.url);
                try (var moving = new Follower(first, second);
                        var staying = new Follower(second)) {
                    for (int writer = 0; writer < 4; writer++) {
                        load.repeat(number -> client.post("/workspaces", "{\"name\":\"New\",\"external\":true}"));
                    }
                    await().until(() ->
                            moving.recorded().size() > 50 && staying.recorded().size() > 50);

                    // When
                    Signals.send("STOP", platform.platformPid()); // it would start another
                    hub.destroyForcibly();

                    // Then
                    int before = load.succeeded();
                    await().until(() -> load.succeeded() > before + 50);
                    load.close();
                    LogTable.of(platform).awaitFollowed(moving, staying);
                    assertThat(moving.connections()).isEqualTo(2);
                    assertThat(load.wrong()).isEmpty();
                }
            } finally {
                Signals.send("CONT", platform.platformPid());
            }
        }
    }
}
