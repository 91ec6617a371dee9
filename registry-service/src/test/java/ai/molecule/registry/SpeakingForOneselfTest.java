package ai.molecule.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpMethod;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What came in by the agents' door says something of its own workspace only, also where the other one has no token. */
class SpeakingForOneselfTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start();
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void an_agent_registers_beats_and_shows_a_card_for_itself_alone() {
        String self = registry.create("Writer");
        String token = registry.token(self);
        String other = UUID.randomUUID().toString();
        String prepared = registry.create("Prepared", "\"external\":true");

        for (String id : new String[] {other, prepared}) {
            assertThat(atTheDoor(self, "/registry/register", registration(id), token))
                    .isEqualTo("401 {\"error\":\"invalid workspace auth token\"}");
            assertThat(atTheDoor(self, "/registry/heartbeat", "{\"workspace_id\":\"%s\"}".formatted(id), token))
                    .startsWith("401 ");
            assertThat(atTheDoor(
                            self,
                            "/registry/update-card",
                            "{\"workspace_id\":\"%s\",\"agent_card\":{}}".formatted(id),
                            token))
                    .startsWith("401 ");
        }
        assertThat(atTheDoor(self, "/registry/register", registration(self), token))
                .startsWith("200 ");
        assertThat(registry.get("/workspaces/" + other, RunningRegistry.ADMIN).status())
                .isEqualTo(404);
    }

    private static String registration(String id) {
        return "{\"id\":\"%s\",\"url\":\"remote://no-inbound\",\"agent_card\":{\"name\":\"x\"}}".formatted(id);
    }

    private static String atTheDoor(String self, String path, String body, String token) {
        return registry.send(
                        HttpMethod.POST, path, body, token, "X-Molecule-Agents-Entrance", "1", "X-Workspace-ID", self)
                .toString();
    }
}
