package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.EventStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Not one hint arrives, and everything becomes right all the same, within the ages things are remembered for. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EveryHintLostIT {

    /** Tokens and access are remembered for 2 s; less than the 30 s that routes are. */
    private static final Duration TWO_SECONDS_ON_A_BUSY_MACHINE = Duration.ofSeconds(25);

    private HintlessPlatform platform;
    private Client client;
    private Agent boss;

    @BeforeAll
    void start(@TempDir Path data) throws IOException {
        platform = new HintlessPlatform(data);
        client = platform.client;
        boss = Agent.join(client, "Boss");
    }

    @AfterAll
    void stop() {
        platform.close();
    }

    @Test
    void a_revoked_token_is_refused() throws IOException {
        var agent = boss.hire(client, "Revoked");
        String tokens = "/workspaces/" + agent.id() + "/tokens";
        String token = client.post(tokens, "").json().get("auth_token").asText();
        String id = client.get(tokens).json().at("/tokens/0/id").asText();
        assertThat(activity(agent, token).status()).isEqualTo(200);

        assertThat(client.send("DELETE", tokens + "/" + id, "").status()).isEqualTo(200);

        soon().until(() -> activity(agent, token).status() == 401);
        assertThat(platform.lost()).contains("hint.tokens-changed");
    }

    @Test
    void whoever_moved_away_is_refused() throws IOException {
        var left = boss.hire(client, "Left");
        var right = boss.hire(client, "Right");
        var moving = left.hire(client, "Moving");
        var colleague = left.hire(client, "Colleague");
        assertThat(moving.tell(client, colleague, "still here").status()).isEqualTo(200);

        var moved = client.send("PATCH", "/workspaces/" + moving.id(), "{\"parent_id\":\"%s\"}".formatted(right.id()));
        assertThat(moved.status()).isEqualTo(200);

        soon().until(() -> moving.tell(client, colleague, "gone").status() == 403);
        assertThat(platform.lost()).contains("hint.workspace-changed");
    }

    @Test
    void new_events_reach_the_canvas() throws IOException {
        try (var canvas = new EventStream(client.url)) {
            var agent = boss.hire(client, "Seen");

            soon().until(() -> canvas.namesOf(agent.id()).contains("WORKSPACE_ONLINE"));
        }
        assertThat(platform.lost()).contains("hint.events-appended", "hint.events-numbered");
    }

    @Test
    void a_waiting_poll_gets_the_message() throws Exception {
        var agent = boss.hire(client, "Polling");
        try (var waiting = Executors.newVirtualThreadPerTaskExecutor()) {
            var poll = waiting.submit(
                    () -> client.send("GET", "/workspaces/" + agent.id() + "/activity?type=a2a_receive&wait=25", ""));
            await().pollDelay(Duration.ofSeconds(1)).until(() -> !poll.isDone()); // it waits by now

            boss.tell(client, agent, "wake up");

            assertThat(poll.get(60, TimeUnit.SECONDS).json()).hasSize(1);
        }
        assertThat(platform.lost()).contains("hint.activity-arrived");
    }

    @Test
    void a_restart_that_was_asked_for_happens() throws IOException {
        String id = client.post("/workspaces", "{\"name\":\"Managed\",\"runtime\":\"echo\"}")
                .json()
                .get("id")
                .asText();
        try {
            await().until(() -> isOnline(id));
            Optional<Long> before = HintlessPlatform.agentOf(id);

            client.send("PUT", "/workspaces/" + id + "/secrets", "{\"key\":\"COLOUR\",\"value\":\"blue\"}");

            await().until(() -> {
                var now = HintlessPlatform.agentOf(id);
                return now.isPresent() && !now.equals(before) && isOnline(id);
            });
            assertThat(platform.lost()).contains("hint.reconcile");
        } finally {
            client.send("DELETE", "/workspaces/" + id + "?confirm=true", "");
            await().until(() -> HintlessPlatform.agentOf(id).isEmpty());
        }
    }

    private Client.Answer activity(Agent agent, String token) throws IOException {
        return client.send("GET", "/workspaces/" + agent.id() + "/activity", "", "Authorization", "Bearer " + token);
    }

    private boolean isOnline(String id) throws IOException {
        return client.get("/workspaces/" + id).json().get("status").asText().equals("online");
    }

    private static ConditionFactory soon() {
        return await().atMost(TWO_SECONDS_ON_A_BUSY_MACHINE);
    }
}
