package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The agent loop: what keeps it alive and what ends it. */
@Timeout(120)
class RunningAnAgentTest {

    @TempDir
    private Path home;

    private FakePlatform platform;
    private RemoteAgentClient agent;
    private @Nullable Thread loop;

    @BeforeEach
    void join() throws Exception {
        platform = new FakePlatform();
        agent = builder().build();
        agent.register();
    }

    @AfterEach
    void leave() {
        interruptLoop();
        platform.close();
    }

    private void interruptLoop() {
        if (loop != null) {
            loop.interrupt();
        }
    }

    @Test
    void people_and_peers_are_answered_in_order() {
        platform.deliver("1", "", "hello");
        platform.deliver("2", "peer", "hi");

        start((message, self) -> "You said: " + message.text(), LoopOptions.defaults());

        await().until(() -> platform.replies().size() == 2);
        platform.deliver("3", "", "still there?");
        await().untilAsserted(() -> assertThat(platform.replies())
                .containsExactly("user: You said: hello", "peer: You said: hi", "user: You said: still there?"));
    }

    @Test
    void heartbeats_go_out_while_a_handler_blocks_and_say_so() {
        var release = new CountDownLatch(1);
        start(
                (message, self) -> {
                    release.await();
                    return "done";
                },
                LoopOptions.defaults());
        platform.deliver("1", "", "take your time");

        await().until(() -> platform.count("busy heartbeats") >= 3);

        assertThat(platform.replies()).isEmpty();
        release.countDown();
        await().until(() -> platform.replies().contains("user: done"));
    }

    @Test
    void a_handler_may_work_on_threads_of_its_own() {
        start(
                MessageHandler.async(
                        (message, self) -> CompletableFuture.supplyAsync(() -> "later: " + message.text())),
                LoopOptions.defaults());

        platform.deliver("1", "", "x");

        await().until(() -> platform.replies().contains("user: later: x"));
    }

    @Test
    void a_handler_that_fails_costs_its_message_and_nothing_else() {
        start(
                (message, self) -> {
                    if (message.text().equals("bad")) {
                        throw new IllegalStateException("no");
                    }
                    return message.text();
                },
                LoopOptions.defaults());

        platform.deliver("1", "", "bad");
        platform.deliver("2", "", "good");

        await().until(() -> platform.replies().contains("user: good"));
        assertThat(platform.replies()).hasSize(1);
    }

    @Test
    void a_pause_ends_the_loop_although_a_request_is_held_open() throws Exception {
        var ended = start((message, self) -> null, LoopOptions.defaults());
        await().until(() -> !platform.asked().isEmpty());

        platform.becomes("paused");

        assertThat(ended.get(60, TimeUnit.SECONDS)).isEqualTo("paused");
    }

    @Test
    void an_agent_that_waits_while_paused_handles_nothing_until_it_is_resumed() {
        platform.becomes("paused");
        platform.deliver("1", "", "hello");
        start((message, self) -> "hi", LoopOptions.defaults().waitingWhilePaused());
        await().until(() -> platform.count("states") >= 3);
        assertThat(platform.replies()).isEmpty();

        platform.becomes("online");

        await().until(() -> platform.replies().contains("user: hi"));
    }

    @Test
    void a_deleted_workspace_ends_the_loop() throws Exception {
        var ended = start((message, self) -> null, LoopOptions.defaults());

        platform.becomes("removed");

        assertThat(ended.get(60, TimeUnit.SECONDS)).isEqualTo("removed");
    }

    @Test
    void a_token_the_platform_refuses_ends_the_loop_with_a_sentence_that_helps() {
        var ended = start((message, self) -> null, LoopOptions.defaults());
        await().until(() -> !platform.asked().isEmpty());

        platform.revokeToken();

        assertThatThrownBy(() -> ended.get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(TokenLostException.class)
                .hasMessageContaining(home.resolve(".auth_token").toString())
                .hasMessageContaining("/workspaces/me/tokens");
    }

    @Test
    void a_lost_token_file_is_explained_when_registering() throws Exception {
        Files.delete(home.resolve(".auth_token"));

        assertThatThrownBy(agent::register)
                .isInstanceOf(TokenLostException.class)
                .hasMessageContaining("there is none in " + home.resolve(".auth_token"))
                .hasMessageContaining("--token");
    }

    @Test
    void a_storm_of_429_is_waited_out() {
        platform.isBusyFor(12);
        start((message, self) -> "calm", LoopOptions.defaults());

        platform.deliver("1", "", "hello");

        await().until(() -> platform.replies().contains("user: calm"));
    }

    @Test
    void rounds_can_be_counted() throws Exception {
        platform.answeringAtOnce();

        String why = agent.runAgentLoop(
                (message, self) -> null,
                new PollDelivery(agent, PollOptions.defaults().withInterval(Duration.ofMillis(10))),
                LoopOptions.defaults().withMaxIterations(3));

        assertThat(why).isEqualTo("max_iterations");
        assertThat(platform.asked()).hasSize(3);
    }

    @Test
    void an_agent_that_receives_nothing_says_what_it_does_until_it_is_paused() throws Exception {
        platform.becomes("paused");

        String why = agent.runHeartbeatLoop(LoopOptions.defaults().withTasks(() -> new CurrentTask("indexing", 4)));

        assertThat(why).isEqualTo("paused");
        assertThat(platform.count("busy heartbeats")).isEqualTo(1);
    }

    @Test
    void an_interrupt_ends_the_loop() {
        var ended = start((message, self) -> null, LoopOptions.defaults());
        await().until(() -> !platform.asked().isEmpty());

        interruptLoop();

        assertThatThrownBy(() -> ended.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
    }

    private AgentBuilder builder() {
        return RemoteAgentClient.builder("me", platform.url())
                .tokenFolder(home)
                .heartbeatInterval(Duration.ofMillis(50))
                .stateInterval(Duration.ofMillis(50));
    }

    private CompletableFuture<String> start(MessageHandler handler, LoopOptions options) {
        var ended = new CompletableFuture<String>();
        var running = new Thread(() -> {
            try {
                ended.complete(agent.runAgentLoop(handler, new PollDelivery(agent), options));
            } catch (Throwable e) {
                ended.completeExceptionally(e);
            }
        });
        running.start();
        loop = running;
        return ended;
    }
}
