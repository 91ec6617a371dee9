package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The proxy is killed while delegations are under way: what it accepted has an outcome. */
class DelegationsOutliveTheProxyIT {

    private static final int SOURCES = 3;

    /** A list shows 50 entries, two of each delegation. */
    private static final int DELEGATIONS_PER_SOURCE = 24;

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @Test
    void every_accepted_delegation_has_an_outcome_or_is_called_unknown(@TempDir Path data) throws InterruptedException {
        try (var platform = Platform.up(data, "--no-demo", "--split")) {
            // Given
            String echo = platform.create("Echo", "echo", null);
            String asker = platform.create("Asker", "delegate", null);
            List<String> sources = new ArrayList<>();
            for (int i = 0; i < SOURCES; i++) {
                sources.add(platform.create("Source " + i, "echo", null));
            }
            platform.awaitStatus(echo, "online");
            platform.awaitStatus(asker, "online");
            var proxy = proxy(platform).orElseThrow();
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
            await().atMost(PATIENCE)
                    .until(() -> proxy(platform)
                            .filter(one -> one.pid() != proxy.pid())
                            .isPresent());
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(500))
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(outcomes(platform, sources)).containsAllEntriesOf(ended(accepted)));
        }
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

    private static Optional<ProcessHandle> proxy(Platform platform) {
        return platform.processWith("ProxyMain");
    }
}
