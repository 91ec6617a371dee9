package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PostgreSQL is killed under load, stays away for longer than the liveness TTL, and comes back. */
@Tag("full")
class LosingPostgresIT {

    private static final Duration AWAY = Duration.ofSeconds(11);

    private final Set<String> created = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean talking = new AtomicBoolean(true);
    private final Map<String, Integer> received = new ConcurrentHashMap<>();
    private final Set<String> answered = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> remembered = new ConcurrentHashMap<>();

    @Test
    void what_was_answered_is_kept_the_rest_is_503_and_nobody_who_heartbeats_is_called_dead(
            @TempDir Path data, @TempDir Path databases) throws Exception {
        try (var postgres = new RestartedPostgres(databases);
                var platform = Platform.up(environment(postgres), data, "--no-demo");
                var answering = new SocketAgent(SocketAgent.counts(received));
                var talkative = new SocketAgent(SocketAgent.talksWhile(talking));
                var threads = Executors.newVirtualThreadPerTaskExecutor();
                var follower = new Follower(platform.url);
                var load = new Load(Client.Answer::platformUnavailable)) {
            // Given
            var client = new Client(platform.url);
            List<Agent> steady = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                steady.add(Agent.join(client, "Steady " + i));
            }
            var silent = Agent.join(client, "Silent");
            steady.forEach(agent -> load.repeat(number -> agent.heartbeat(client)));
            steady.forEach(agent -> load.repeat(number -> remember(client, agent, number)));
            load.repeat(number -> create(client, number));
            String asked = answering.register(platform, "Asked");
            var asking = load.repeat(number -> ask(client, asked, number));
            var beating = load.repeat(number -> silent.heartbeat(client));
            String talker = talkative.register(platform, "Talker");
            var stream = threads.submit(() -> stream(client, talker));
            awaitSuccesses(load, 100);

            // When
            beating.cancel(false);
            postgres.kill();
            await().until(() -> load.refused() > 0);
            await().pollDelay(AWAY).until(() -> true); // longer than the TTL
            postgres.start();

            // Then
            awaitSuccesses(load, 100);
            talking.set(false);
            asking.cancel(false); // one page of activity shows 500
            platform.awaitStatus(silent.id(), "offline"); // death is noticed again
            load.close();
            assertThat(load.wrong()).isEmpty();
            assertThat(steady).allSatisfy(agent -> {
                assertThat(platform.status(agent.id())).isEqualTo("online");
                assertThat(eventsOf(platform, agent.id())).doesNotContain("WORKSPACE_OFFLINE");
            });
            assertThat(platform.get("/workspaces").findValuesAsText("id")).containsAll(created);
            assertThat(created)
                    .allSatisfy(id -> assertThat(eventsOf(platform, id))
                            .containsExactly("WORKSPACE_AWAITING_AGENT", "WORKSPACE_PROVISIONING")); // newest first
            await().untilAsserted(() -> assertThat(messagesWrittenDown(client, asked))
                    .doesNotHaveDuplicates()
                    .containsExactlyInAnyOrderElementsOf(received.keySet()));
            assertThat(received)
                    .containsOnlyKeys(answered)
                    .allSatisfy((id, times) -> assertThat(times).isEqualTo(1));
            allOfIt(client, talker, stream.get());
            LogTable.at(postgres.url()).awaitFollowed(follower);
            for (var agent : steady) {
                assertThat(keysOf(client, agent)).containsAllEntriesOf(rememberedBy(agent));
            }
        }
    }

    private static Map<String, String> environment(RestartedPostgres postgres) {
        return Map.of(
                "DATABASE_URL", postgres.url(),
                "REMOTE_LIVENESS_STALE_AFTER", "10",
                "MOLECULE_LIVENESS_TTL_SECONDS", "10",
                "RATE_LIMIT", "10000000");
    }

    private static void awaitSuccesses(Load load, int more) {
        int before = load.succeeded();
        await().until(() -> load.succeeded() >= before + more);
    }

    private Client.Answer create(Client client, int number) throws IOException {
        var answer = client.post("/workspaces", "{\"name\":\"New %d\",\"external\":true}".formatted(number));
        if (answer.good()) {
            created.add(answer.json().get("id").asText());
        }
        return answer;
    }

    /** What was refused reached nobody. */
    private Client.Answer ask(Client client, String agent, int number) throws IOException {
        String id = "message-" + number;
        var answer = client.post("/workspaces/" + agent + "/a2a", SocketAgent.message(id));
        if (answer.good()) {
            answered.add(id);
        }
        return answer;
    }

    private static Client.Answer stream(Client client, String agent, String... headers) throws IOException {
        return client.send(
                "POST",
                "/workspaces/" + agent + "/a2a",
                SocketAgent.message("s").replace("/send", "/stream"),
                headers);
    }

    /** The reader had every event as it came, and the journal has them for whoever comes back. */
    private static void allOfIt(Client client, String agent, Client.Answer read) throws IOException {
        var ids = read.lines("id: ");
        assertThat(read.lines("data: "))
                .isEqualTo(IntStream.rangeClosed(1, ids.size())
                        .mapToObj("{\"n\":%d}"::formatted)
                        .toList());
        var back = stream(client, agent, "Last-Event-ID", ids.getFirst());
        assertThat(back.lines("id: ")).isEqualTo(ids.subList(1, ids.size()));
    }

    private static List<String> messagesWrittenDown(Client client, String agent) throws IOException {
        return client.get("/workspaces/" + agent + "/activity?limit=500").json().findValuesAsText("messageId");
    }

    private Client.Answer remember(Client client, Agent agent, int number) throws IOException {
        var answer = client.post(
                "/workspaces/" + agent.id() + "/memory",
                "{\"key\":\"key-%d\",\"value\":%d}".formatted(number, number),
                agent.token());
        if (answer.good()) {
            remembered.put(agent.id() + "/key-" + number, number);
        }
        return answer;
    }

    private Map<String, Integer> rememberedBy(Agent agent) {
        Map<String, Integer> own = new ConcurrentHashMap<>(remembered);
        own.keySet().removeIf(key -> !key.startsWith(agent.id()));
        return own;
    }

    private static Map<String, Integer> keysOf(Client client, Agent agent) throws IOException {
        Map<String, Integer> keys = new ConcurrentHashMap<>();
        for (var entry : client.get("/workspaces/" + agent.id() + "/memory").json()) {
            keys.put(
                    agent.id() + "/" + entry.get("key").asText(),
                    entry.get("value").asInt());
        }
        return keys;
    }

    private static List<String> eventsOf(Platform platform, String id) {
        return platform.get("/events/" + id).findValuesAsText("event_type");
    }
}
