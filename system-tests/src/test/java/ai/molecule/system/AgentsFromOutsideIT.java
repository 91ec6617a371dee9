package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestStores;
import ai.molecule.sdk.LoopOptions;
import ai.molecule.sdk.MessageHandler;
import ai.molecule.sdk.PollDelivery;
import ai.molecule.sdk.PollOptions;
import ai.molecule.sdk.RemoteAgentClient;
import ai.molecule.sdk.TokenLostException;
import ai.molecule.testkit.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Agents that nobody can call join over HTTP, talk to each other by polling, and end when the platform says so. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(SharedPlatform.class)
class AgentsFromOutsideIT {

    private static final int ROUNDS = 40;

    private final Map<String, String> tokens = new HashMap<>();
    private final List<Thread> loops = new ArrayList<>();
    private Path temp;
    private Platform platform;

    @BeforeAll
    void start(@TempDir Path folder, Platform shared) {
        temp = folder;
        platform = shared;
    }

    @AfterAll
    void stop() {
        loops.forEach(Thread::interrupt);
    }

    @Test
    void two_agents_without_an_address_hold_a_conversation() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        String asker = external("Asker");
        String answerer = external("Answerer");
        RemoteAgentClient asking = agent(asker);
        run(asking, (message, self) -> {
            heard.add(message.peerName() + ": " + message.text());
            return null;
        });
        run(agent(answerer), (message, self) -> "you said " + message.text());
        List<Long> micros = new ArrayList<>();

        for (int round = 0; round < ROUNDS; round++) {
            long asked = System.nanoTime();
            asking.callPeer(answerer, "word " + round);
            assertThat(heard.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo("Answerer: you said word " + round);
            micros.add((System.nanoTime() - asked) / 1000);
        }

        Collections.sort(micros);
        System.out.printf(
                "a question and its answer between two polling agents: p50 %.1f ms, so p50 %.1f ms one way, end to end%n",
                micros.get(ROUNDS / 2) / 1000.0, micros.get(ROUNDS / 2) / 2000.0);
    }

    @Test
    void a_person_on_the_canvas_is_answered() {
        String id = external("Greeter");
        run(agent(id), (message, self) -> "hello " + message.source());

        say(id, "anybody there?");

        await().untilAsserted(() -> assertThat(platform.get("/workspaces/" + id + "/activity?source=canvas")
                        .toString())
                .contains("hello CANVAS_USER"));
    }

    @Test
    void a_pause_ends_the_loop_and_after_a_resume_it_goes_on_where_it_was() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        MessageHandler remember = (message, self) -> {
            heard.add(message.text());
            return null;
        };
        String id = external("Pausing");
        var ended = run(agent(id), remember);
        say(id, "one");
        assertThat(heard.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("one");

        platform.post(200, "/workspaces/" + id + "/pause", "");

        assertThat(ended.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("paused");
        platform.post(200, "/workspaces/" + id + "/resume", "");
        run(agent(id), remember);
        say(id, "two");
        assertThat(heard.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("two");
    }

    @Test
    void a_deleted_workspace_ends_its_agent() throws Exception {
        String id = external("Leaving");
        var ended = run(agent(id), (message, self) -> null);
        platform.awaitStatus(id, "online");

        platform.delete("/workspaces/" + id + "?confirm=true");

        assertThat(ended.get(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("removed");
    }

    @Test
    void an_agent_that_lost_its_token_is_told_what_to_do() {
        String id = external("Forgetful");
        agent(id);
        var elsewhere = RemoteAgentClient.builder(id, platform.url)
                .tokenFolder(temp.resolve("agents").resolve("elsewhere"))
                .agentName("Another")
                .build();

        assertThatThrownBy(elsewhere::register)
                .isInstanceOf(TokenLostException.class)
                .hasMessageContaining("make a new one with POST " + platform.url + "/workspaces/" + id + "/tokens");
    }

    @Test
    void a_command_joins_answers_and_leaves_cleanly_when_it_is_told_to() throws Exception {
        String id = external("Shouter");
        Path out = temp.resolve("connect.out");
        Path err = temp.resolve("connect.err");
        var environment = Map.of(
                "MOLECULE_PLATFORM_URL",
                platform.url,
                "MOLECULE_WORKSPACE_ID",
                id,
                "MOLECULE_WORKSPACE_TOKEN",
                tokens.get(id),
                "JAVA_TOOL_OPTIONS",
                "-Duser.home=" + temp.resolve("home"));
        Process process = Launcher.start(environment, out, err, "connect", "--handler", "cmd: tr a-z A-Z");
        try {
            await().until(() -> !process.isAlive() || Files.readString(out).contains("connected as " + id));
            say(id, "anybody there?");
            await().untilAsserted(() -> assertThat(platform.get("/workspaces/" + id + "/activity?source=canvas")
                            .toString())
                    .contains("ANYBODY THERE?"));

            process.destroy();

            assertThat(process.waitFor(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(process.exitValue()).as(read(err)).isZero();
            assertThat(read(out)).contains("[molecule] received signal — shutting down cleanly");
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void agents_survive_a_platform_that_goes_away_and_comes_back(@TempDir Path data) throws Exception {
        int port = TestStores.freePort();
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        String id;
        try (var first = Platform.up(port, data, "--no-demo")) {
            id = external(first, "Faithful");
            run(agent(first, id), (message, self) -> {
                heard.add(message.text());
                return null;
            });
            say(first, id, "before");
            assertThat(heard.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("before");
        }

        try (var again = Platform.up(port, data, "--no-demo")) {
            say(again, id, "after");

            assertThat(heard.poll(Waits.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("after");
        }
    }

    private String external(String name) {
        return external(platform, name);
    }

    private String external(Platform on, String name) {
        var body = Platform.JSON.createObjectNode().put("name", name).put("external", true);
        var created = on.post(201, "/workspaces", body.toString());
        String id = created.path("id").asText();
        tokens.put(id, created.at("/connection/auth_token").asText());
        return id;
    }

    private RemoteAgentClient agent(String id) {
        return agent(platform, id);
    }

    private RemoteAgentClient agent(Platform on, String id) {
        var client = RemoteAgentClient.builder(id, on.url)
                .tokenFolder(temp.resolve("agents").resolve(id))
                .heartbeatInterval(Duration.ofSeconds(2))
                .stateInterval(Duration.ofMillis(500))
                .build();
        client.saveToken(tokens.get(id));
        client.register();
        return client;
    }

    private CompletableFuture<String> run(RemoteAgentClient agent, MessageHandler handler) {
        var ended = new CompletableFuture<String>();
        var cursor = temp.resolve("agents").resolve(agent.workspaceId()).resolve("cursor");
        var loop = new Thread(() -> {
            try {
                var delivery = new PollDelivery(agent, PollOptions.defaults().withCursorFile(cursor));
                ended.complete(agent.runAgentLoop(handler, delivery, LoopOptions.defaults()));
            } catch (InterruptedException | RuntimeException e) {
                ended.completeExceptionally(e);
            }
        });
        loops.add(loop);
        loop.start();
        return ended;
    }

    /** As the canvas does; the platform keeps the message for the agent to fetch. */
    private void say(String id, String text) {
        say(platform, id, text);
    }

    private static void say(Platform on, String id, String text) {
        String answer = on.say(id, text);
        assertThat(answer).contains("queued");
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file);
    }
}
