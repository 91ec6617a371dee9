package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two replicas of each service are told to end and come back, one after the other, while people and agents go on working. */
@Tag("full")
class RollingRestartIT {

    /** As in production, but that a machine under other work gets longer to notice who leaves, and for what is under way. */
    private static final Map<String, String> ENVIRONMENT =
            Map.of("RATE_LIMIT", "10000000", "MOLECULE_DRAIN_SECONDS", "10", "MOLECULE_FINISH_SECONDS", "30");

    @Test
    void no_request_fails_no_event_is_lost_and_no_agent_restarts(@TempDir Path data) throws IOException {
        try (var platform = Platform.up(ENVIRONMENT, data, "--no-demo", "--split");
                var owners = new Owners(platform, data);
                var one = owners.door(1);
                var two = owners.door(2);
                var doors = new Doors(one, two);
                var load = new Load(Client.Answer::platformUnavailable)) {
            // Given
            await().until(() -> doors.allReady() && owners.areReady());
            String echo = platform.create("Echo", "echo", null);
            platform.awaitStatus(echo, "online");
            long process = platform.agentProcess(echo).pid();
            var agent = Agent.join(doors.client(), "Steady");
            var follower = new Follower(one.client.url, two.client.url);
            load.repeat(number -> doors.client().post("/workspaces", "{\"name\":\"New\",\"external\":true}"));
            load.repeat(number -> doors.client().get("/workspaces/" + echo));
            load.repeat(number -> agent.heartbeat(doors.client()));
            load.repeat(
                    number -> doors.client().post("/workspaces/" + echo + "/a2a", SocketAgent.message("m" + number)));
            load.repeat(number -> doors.client().get("/workspaces/" + echo + "/activity?limit=5"));
            load.repeat(number -> doors.client().get("/templates"));
            awaitMore(load, 100);

            // When
            for (String service : List.of("registry", "events", "provisioner")) {
                owners.restartBoth(service);
                awaitMore(load, 30);
            }
            for (var door : List.of(one, two)) {
                door.restart();
                await().until(doors::allReady);
                awaitMore(load, 30);
            }

            // Then
            load.close();
            assertThat(load.wrong()).isEmpty();
            assertThat(load.refused()).isLessThan(load.succeeded() / 100);
            assertThat(platform.agentProcess(echo).pid()).isEqualTo(process);
            assertThat(platform.status(echo)).isEqualTo("online");
            LogTable.of(platform).awaitFollowed(follower);
            follower.close();
        }
    }

    private static void awaitMore(Load load, int requests) {
        int before = load.succeeded();
        await().until(() -> load.succeeded() >= before + requests);
    }
}
