package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Real agents that sleep and are woken, with services that are killed in the middle of it. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SleepingAgentsIT {

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
    void one_that_sleeps_has_no_process_and_all_its_files_and_answers_who_writes_to_it() {
        String id = asleep("Sleeper");

        assertThat(processesOf(id)).isEmpty();
        assertThat(platform.data().resolve("workspaces/" + id)).isNotEmptyDirectory();
        assertThat(platform.get("/workspaces/" + id + "/hibernation").toString())
                .isEqualTo("{\"hibernation_idle_minutes\":null,\"effective_idle_minutes\":0}");

        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = IntStream.range(0, 10)
                    .mapToObj(i -> CompletableFuture.supplyAsync(() -> platform.say(id, "word " + i), callers))
                    .toList();
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i).join()).contains("word " + i);
            }
        }

        assertThat(platform.status(id)).isEqualTo("online");
        await().until(() -> processesOf(id).size() == 1);
    }

    @Test
    void a_stream_and_a_delegation_wake_it_too() {
        String lead = online("Lead", null);
        String id = online("Worker", lead);
        sleep(id);

        var stream = new StreamClient(platform, id, "0.3");
        stream.end.orTimeout(3, TimeUnit.MINUTES).join();

        assertThat(platform.status(id)).isEqualTo("online");
        sleep(id);
        String delegation = platform.post(
                        202,
                        "/workspaces/" + lead + "/delegate",
                        "{\"target_id\":\"%s\",\"task\":\"say hello\"}".formatted(id))
                .path("delegation_id")
                .asText();

        await().until(() ->
                platform.get("/workspaces/" + lead + "/delegations").toString().contains(delegation)
                        && platform.get("/workspaces/" + lead + "/delegations")
                                .toString()
                                .contains("completed"));
    }

    @Test
    void one_whose_provisioner_is_killed_in_the_middle_of_falling_asleep_or_waking_is_not_lost() {
        String id = online("Unlucky", null);
        var falling = CompletableFuture.runAsync(() -> insist(() -> putToSleep(id)));
        await().ignoreExceptions().until(() -> platform.status(id).equals("hibernated"));
        kill("ProvisionerMain");
        falling.join();
        await().until(() -> processesOf(id).isEmpty());

        var word = CompletableFuture.supplyAsync(() -> insist(() -> platform.say(id, "are you there")));
        await().ignoreExceptions().until(() -> !platform.status(id).equals("hibernated"));
        kill("ProvisionerMain");

        assertThat(word.join()).contains("are you there");
        await().until(() -> processesOf(id).size() == 1);
    }

    @Test
    void one_whose_registry_is_killed_while_a_message_waits_for_it_gets_up() {
        String id = asleep("Patient");

        var word = CompletableFuture.supplyAsync(() -> insist(() -> platform.say(id, "good morning")));
        kill("RegistryMain");

        assertThat(word.join()).contains("good morning");
        await().ignoreExceptions().until(() -> platform.status(id).equals("online"));
        await().until(() -> processesOf(id).size() == 1);
    }

    private String online(String name, String parent) {
        String id = platform.create(name, "echo", parent);
        platform.awaitStatus(id, "online");
        return id;
    }

    private String asleep(String name) {
        String id = online(name, null);
        sleep(id);
        return id;
    }

    private void sleep(String id) {
        insist(() -> putToSleep(id));
        await().until(() -> processesOf(id).isEmpty());
        assertThat(platform.status(id)).isEqualTo("hibernated");
    }

    /** Whoever was answered a moment ago is at something for a moment. */
    private String putToSleep(String id) {
        return platform.status(id).equals("hibernated")
                ? "hibernated"
                : platform.post(200, "/workspaces/" + id + "/hibernate", "")
                        .path("status")
                        .asText();
    }

    /** As a client that comes again: who serves it may be killed, or be at something. */
    private static String insist(Callable<String> call) {
        return await().pollInterval(Duration.ofMillis(300))
                .ignoreExceptionsMatching(
                        failure -> failure instanceof AssertionError || failure instanceof UncheckedIOException)
                .until(call, said -> said != null);
    }

    private void kill(String service) {
        var process = platform.processWith(service).orElseThrow();
        process.destroyForcibly();
        process.onExit().join();
        await().until(() -> platform.processWith(service).isPresent());
    }

    private List<ProcessHandle> processesOf(String id) {
        return platform.processes()
                .filter(process -> process.info()
                        .commandLine()
                        .filter(line -> line.contains("-Dmolecule.workspace=" + id))
                        .isPresent())
                .toList();
    }
}
