package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import ai.molecule.testkit.Waits;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each part of a platform of several processes stands still for a while, one after the other: who reads is told to come again, no agent is
 * taken for dead, and all is whole at once when it goes on. 25 s in {@code .ci/long}.
 */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StandingStillIT {

    /** Longer than the 10 s after which services drop one that is silent from the bus. */
    private static final Duration STANDSTILL =
            Duration.ofSeconds(Integer.getInteger("molecule.standstill.seconds", 12));

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** A part, what its process is known by, what nobody else can answer, and whether messages go on meanwhile. */
    enum Part {
        EVENTS("EventsMain", "/events?limit=1", 503, true),
        REGISTRY("RegistryMain", "/workspaces", 503, true),
        PROVISIONER("ProvisionerMain", "/templates", 503, true),
        POSTGRESQL("/postgres\0-D", "/workspaces", 503, false),
        REDIS("redis-server", "/workspaces", 200, true);

        private final String word;
        private final String read;
        private final int status;
        private final boolean messages;

        Part(String word, String read, int status, boolean messages) {
            this.word = word;
            this.read = read;
            this.status = status;
            this.messages = messages;
        }
    }

    private Platform platform;
    private String agent;
    private ProcessHandle process;

    @BeforeAll
    void start(@TempDir Path data) {
        platform = Platform.up(data, "--no-demo", "--split");
        agent = platform.create("Steady", "echo", null);
        platform.awaitStatus(agent, "online");
        process = platform.agentProcess(agent);
    }

    @AfterAll
    void stop() {
        platform.close();
    }

    @ParameterizedTest
    @EnumSource
    void who_reads_is_told_to_come_again_and_nobody_is_taken_for_dead(Part part) throws IOException {
        awaitAnswer("before");
        var processes = processesOf(part);

        signal("STOP", processes);
        try {
            long until = System.nanoTime() + STANDSTILL.toNanos();
            await().until(() -> read(part).statusCode() == part.status);
            var answer = read(part);
            assertThat(answer.statusCode()).isEqualTo(part.status);
            assertThat(answer.headers().firstValue("Retry-After").isPresent()).isEqualTo(part.status == 503);
            if (part.messages) {
                awaitAnswer("meanwhile");
            }
            await().until(() -> System.nanoTime() >= until);
        } finally {
            signal("CONT", processes);
        }

        await().until(() -> read(part).statusCode() == 200);
        awaitAnswer("after");
        platform.awaitStatus(agent, "online");
        var events = new AtomicReference<List<String>>(List.of());
        await().untilAsserted(() -> events.set(platform.get("/events/" + agent).findValuesAsText("event_type")));
        assertThat(events.get()).contains("WORKSPACE_ONLINE").doesNotContain("WORKSPACE_OFFLINE");
        assertThat(platform.agentProcess(agent).pid()).isEqualTo(process.pid());
    }

    private void awaitAnswer(String text) {
        await().untilAsserted(() -> assertThat(platform.say(agent, text)).contains(text));
    }

    private HttpResponse<String> read(Part part) throws IOException {
        var request = HttpRequest.newBuilder(URI.create(platform.url + part.read))
                .timeout(Waits.PATIENCE)
                .build();
        try {
            return HTTP.send(request, BodyHandlers.ofString());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(interrupted);
        }
    }

    /** Of PostgreSQL all that it consists of; what the provisioner has below it are the agents. */
    private List<ProcessHandle> processesOf(Part part) {
        var found = platform.processWith(part.word).orElseThrow();
        return part == Part.POSTGRESQL
                ? Stream.concat(Stream.of(found), found.descendants()).toList()
                : List.of(found);
    }

    private static void signal(String signal, List<ProcessHandle> processes) {
        processes.stream().filter(ProcessHandle::isAlive).forEach(one -> Signals.send(signal, one.pid()));
    }
}
