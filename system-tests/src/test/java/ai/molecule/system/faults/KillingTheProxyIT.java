package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The proxy is killed: what it accepted has an outcome, and what was said is written down. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KillingTheProxyIT {

    private static final int SOURCES = 3;

    /** A list shows 50 entries, two of each delegation. */
    private static final int DELEGATIONS_PER_SOURCE = 24;

    private static final int AT_AGENTS = 200;
    private static final int MESSAGES = 20;

    private static final String TASK =
            "{\"result\":{\"kind\":\"task\",\"status\":{\"state\":\"completed\"},\"artifacts\":"
                    + "[{\"parts\":[{\"kind\":\"text\",\"text\":\"done\"}]}]}}";
    private static final String NO_METHOD = "{\"error\":{\"code\":-32601,\"message\":\"method not found\"}}";
    private static final String KNOWN = "completed () done";
    private static final String UNKNOWN =
            "failed (unknown) outcome unknown: the answer was lost and the agent cannot be asked for it";

    private Platform platform;

    @BeforeAll
    void start(@TempDir Path data) {
        platform = Platform.up(data, "--no-demo", "--split");
    }

    @AfterAll
    void stop() {
        platform.close();
    }

    @Test
    void every_accepted_delegation_has_an_outcome_or_is_called_unknown() throws InterruptedException {
        // Given
        String echo = platform.create("Echo", "echo", null);
        String asker = platform.create("Asker", "delegate", null);
        List<String> sources = new ArrayList<>();
        for (int i = 0; i < SOURCES; i++) {
            sources.add(platform.create("Source " + i, "echo", null));
        }
        platform.awaitStatus(echo, "online");
        platform.awaitStatus(asker, "online");
        var proxy = proxy().orElseThrow();
        Map<String, String> accepted = new ConcurrentHashMap<>();
        var enough = new CountDownLatch(SOURCES * DELEGATIONS_PER_SOURCE * 4 / 5);

        // When
        try (var threads = Executors.newFixedThreadPool(8)) {
            for (int i = 0; i < DELEGATIONS_PER_SOURCE; i++) {
                for (String source : sources) {
                    String target = i % 2 == 0 ? asker : echo;
                    threads.submit(() -> delegate(platform, source, target, accepted, enough));
                }
            }
            enough.await();
            proxy.destroyForcibly();
        }

        // Then
        assertThat(accepted).hasSizeGreaterThanOrEqualTo(50);
        awaitAnotherThan(proxy);
        await().pollInterval(Duration.ofMillis(500))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(outcomes(platform, sources)).containsAllEntriesOf(ended(accepted)));
    }

    @Test
    void of_two_hundred_at_their_agents_none_is_lost_none_is_sent_twice_and_what_cannot_be_known_is_said()
            throws Exception {
        var all = new CountDownLatch(AT_AGENTS);
        Map<String, Integer> received = new ConcurrentHashMap<>();
        try (var remembering = new SocketAgent((message, socket, out) -> hold(message, socket, received, all, TASK));
                var forgetful =
                        new SocketAgent((message, socket, out) -> hold(message, socket, received, all, NO_METHOD))) {
            // Given
            List<String> targets =
                    List.of(remembering.register(platform, "Remembers"), forgetful.register(platform, "Forgets"));
            Map<String, String> expected = new HashMap<>();
            List<String> sources = new ArrayList<>();
            for (int i = 0; i < AT_AGENTS; i++) {
                if (i % 20 == 0) {
                    sources.add(
                            platform.post(201, "/workspaces", "{\"name\":\"From %d\",\"external\":true}".formatted(i))
                                    .get("id")
                                    .asText());
                }
                var answer = platform.post(
                        202,
                        "/workspaces/" + sources.getLast() + "/delegate",
                        "{\"target_id\":\"%s\",\"task\":\"t\"}".formatted(targets.get(i % 2)));
                expected.put(answer.get("delegation_id").asText(), i % 2 == 0 ? KNOWN : UNKNOWN);
            }
            assertThat(all.await(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            var proxy = proxy().orElseThrow();

            // When
            proxy.destroyForcibly();

            // Then
            awaitAnotherThan(proxy);
            await().pollInterval(Duration.ofMillis(500))
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(entries(sources)).isEqualTo(expected));
            assertThat(received)
                    .hasSize(AT_AGENTS)
                    .allSatisfy((id, times) -> assertThat(times).isEqualTo(1));
            assertThat(sources)
                    .allSatisfy(source -> assertThat(platform.get("/events/" + source + "?limit=500")
                                    .findValuesAsText("event_type"))
                            .filteredOn(type -> type.startsWith("DELEGATION_"))
                            .containsOnly(
                                    "DELEGATION_SENT", "DELEGATION_STATUS", "DELEGATION_COMPLETE", "DELEGATION_FAILED")
                            .hasSize(20 + 20 + 10 + 10));
        }
    }

    @Test
    void what_was_said_just_before_is_written_down_once() throws IOException {
        Map<String, Integer> received = new ConcurrentHashMap<>();
        var client = new Client(platform.url);
        var events = platform.processWith("EventsMain").orElseThrow();
        try (var agent = new SocketAgent(SocketAgent.counts(received))) {
            // Given
            await().ignoreExceptions().until(() -> client.get("/ready").good());
            String id = agent.register(platform, "Answers");
            Signals.send("STOP", events.pid()); // which has no part in it
            try {
                for (int i = 0; i < MESSAGES; i++) {
                    say(client, id, "said-" + i);
                }
                await().until(() -> metric(client, "molecule_activity_waiting ") == 0);
                var proxy = proxy().orElseThrow();

                // When
                proxy.destroyForcibly();
                awaitAnotherThan(proxy);
            } finally {
                Signals.send("CONT", events.pid());
            }

            // Then
            await().ignoreExceptions()
                    .untilAsserted(() -> assertThat(platform.get("/workspaces/" + id + "/activity")
                                    .findValuesAsText("messageId"))
                            .containsExactlyInAnyOrderElementsOf(received.keySet()));
            assertThat(received).hasSize(MESSAGES);
        }
    }

    /** Again while the answer is 503: a platform that just lost its proxy may say so, and then it has delivered nothing. */
    private static void say(Client client, String id, String messageId) {
        await().until(() -> client.post("/workspaces/" + id + "/a2a", SocketAgent.message(messageId))
                .good());
    }

    private static double metric(Client client, String name) throws IOException {
        return Double.parseDouble(client.get("/metrics").lines(name).getFirst());
    }

    /** Holds every message as long as its caller is there, and answers {@code lookup} when asked about one. */
    private static void hold(
            String message, Socket socket, Map<String, Integer> received, CountDownLatch all, String lookup)
            throws IOException {
        var asked = Platform.JSON.readTree(message);
        if (asked.path("method").asText().equals("molecule/tasks/byMessage")) {
            SocketAgent.write(socket.getOutputStream(), SocketAgent.json(lookup));
        } else {
            received.merge(asked.at("/params/message/messageId").asText(), 1, Integer::sum);
            all.countDown();
            socket.getInputStream().read();
        }
    }

    /** Of each delegation the newest entry: status, outcome, and what was said. */
    private Map<String, String> entries(List<String> sources) {
        Map<String, String> entries = new HashMap<>();
        for (String source : sources) {
            for (var entry : platform.get("/workspaces/" + source + "/delegations")) {
                String said = entry.path("error").asText()
                        + entry.path("response_preview").asText();
                entries.putIfAbsent(
                        entry.get("delegation_id").asText(),
                        entry.get("status").asText() + " ("
                                + entry.path("outcome").asText() + ") " + said);
            }
        }
        return entries;
    }

    private void awaitAnotherThan(ProcessHandle killed) {
        await().until(() -> proxy().filter(one -> one.pid() != killed.pid()).isPresent());
    }

    /** What was answered 202 before or after the kill; a request that met the kill was accepted or was not. */
    private static void delegate(
            Platform platform, String source, String target, Map<String, String> accepted, CountDownLatch enough) {
        String task = "ask Echo: one\\nask Echo: two\\nask Echo: three";
        try {
            var answer = platform.post(
                    202,
                    "/workspaces/" + source + "/delegate",
                    "{\"target_id\":\"%s\",\"task\":\"%s\"}".formatted(target, task));
            accepted.put(answer.get("delegation_id").asText(), source);
        } catch (RuntimeException | AssertionError killed) {
            // not accepted
        }
        enough.countDown();
    }

    private static Map<String, String> ended(Map<String, String> accepted) {
        Map<String, String> ended = new ConcurrentHashMap<>();
        accepted.keySet().forEach(id -> ended.put(id, "ended"));
        return ended;
    }

    /** {@code ended} for a delegation that completed, whose outcome is unknown, or whose agent itself said that it failed; else what the list says of it. */
    private static Map<String, String> outcomes(Platform platform, List<String> sources) {
        Map<String, String> outcomes = new ConcurrentHashMap<>();
        for (String source : sources) {
            for (var entry : platform.get("/workspaces/" + source + "/delegations")) {
                outcomes.putIfAbsent(entry.get("delegation_id").asText(), outcome(entry));
            }
        }
        return outcomes;
    }

    private static String outcome(JsonNode entry) {
        String error = entry.path("error").asText();
        boolean unknown = error.startsWith("outcome unknown: ")
                && entry.path("outcome").asText().equals("unknown");
        boolean said = error.startsWith("Agent error: "); // it could not ask its peers while the proxy was away
        return switch (entry.path("status").asText()) {
            case "completed" -> "ended";
            case "failed" -> unknown || said ? "ended" : "failed: " + error;
            default -> entry.path("status").asText();
        };
    }

    private Optional<ProcessHandle> proxy() {
        return platform.processWith("ProxyMain");
    }
}
