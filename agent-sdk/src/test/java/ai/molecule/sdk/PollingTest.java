package ai.molecule.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fetching messages: where it begins, in which order they come, and what happens when the platform forgot. */
@Timeout(120)
class PollingTest {

    @TempDir
    private Path home;

    private final List<String> handled = new ArrayList<>();
    private final MessageHandler remember = (message, client) -> {
        handled.add(message.text());
        return null;
    };
    private FakePlatform platform;
    private RemoteAgentClient agent;
    private Path cursorFile;

    @BeforeEach
    void join() throws Exception {
        platform = new FakePlatform();
        agent = RemoteAgentClient.builder("me", platform.url())
                .tokenFolder(home)
                .build();
        agent.register();
        cursorFile = home.resolve("state/cursor");
    }

    @AfterEach
    void leave() {
        platform.close();
    }

    @Test
    void the_first_question_has_no_cursor_and_the_next_begins_after_the_last_message() {
        platform.deliver("a", "", "one");
        platform.deliver("b", "", "two");
        var delivery = new PollDelivery(agent);

        assertThat(delivery.runOnce(remember)).isEqualTo(2);
        platform.deliver("c", "", "three");
        assertThat(delivery.runOnce(remember)).isEqualTo(1);

        assertThat(handled).containsExactly("one", "two", "three");
        assertThat(platform.asked())
                .containsExactly("type=a2a_receive&limit=100&wait=25", "type=a2a_receive&limit=100&since_id=b&wait=25");
        assertThat(delivery.cursor()).contains("c");
        assertThat(delivery.pause()).isZero();
    }

    @Test
    void a_restarted_agent_goes_on_where_the_cursor_file_says() throws Exception {
        platform.deliver("a", "", "one");
        new PollDelivery(agent, withCursor()).runOnce(remember);
        assertThat(Files.readString(cursorFile)).isEqualTo("a");
        platform.deliver("b", "", "two");

        new PollDelivery(agent, withCursor()).runOnce(remember);

        assertThat(handled).containsExactly("one", "two");
    }

    @Test
    void a_cursor_the_platform_forgot_begins_anew_and_repeats_nothing_this_process_handled() throws Exception {
        platform.deliver("a", "", "one");
        platform.deliver("b", "", "two");
        var delivery = new PollDelivery(agent, withCursor());
        delivery.runOnce(remember);
        platform.forget("b");
        platform.deliver("c", "", "three");

        assertThat(delivery.runOnce(remember)).isZero();
        assertThat(delivery.cursor()).isEmpty();
        assertThat(Files.readString(cursorFile)).isEqualTo("b");
        assertThat(delivery.runOnce(remember)).isEqualTo(1);

        assertThat(handled).containsExactly("one", "two", "three");
        assertThat(Files.readString(cursorFile)).isEqualTo("c");
    }

    @Test
    void a_platform_that_does_not_hold_requests_open_is_asked_at_the_interval() {
        platform.answeringAtOnce();
        var delivery = new PollDelivery(agent, PollOptions.defaults().withInterval(Duration.ofSeconds(7)));

        delivery.runOnce(remember);

        assertThat(delivery.pause()).hasSeconds(7);
    }

    @Test
    void a_platform_that_knows_no_cursor_is_asked_at_the_interval_and_handled_once() {
        platform.deliver("a", "", "one");
        platform.ignoringCursors();
        var delivery = new PollDelivery(agent, PollOptions.defaults().withInterval(Duration.ofSeconds(7)));

        delivery.runOnce(remember);
        delivery.runOnce(remember);

        assertThat(handled).containsExactly("one");
        assertThat(delivery.pause()).hasSeconds(7);
    }

    @Test
    void a_message_arrives_while_the_request_is_held_open() throws Exception {
        var delivery = new PollDelivery(agent);
        var count = CompletableFuture.supplyAsync(() -> delivery.runOnce(remember));
        await().until(() -> !platform.asked().isEmpty());

        platform.deliver("a", "", "at last");

        assertThat(count.get(60, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void waking_ends_the_wait_and_stopping_ends_it_for_good() throws Exception {
        var delivery = new PollDelivery(agent);
        var woken = CompletableFuture.supplyAsync(() -> delivery.runOnce(remember));
        await().until(() -> platform.asked().size() == 1);

        delivery.wake();
        assertThat(woken.get(60, TimeUnit.SECONDS)).isZero();

        delivery.stop();
        platform.deliver("a", "", "too late");
        assertThat(delivery.runOnce(remember)).isZero();
        assertThat(handled).isEmpty();
    }

    @Test
    void an_interrupted_handler_leaves_its_message_for_the_next_time() {
        platform.deliver("a", "", "one");
        var delivery = new PollDelivery(agent);

        int count = delivery.runOnce((message, client) -> {
            throw new InterruptedException();
        });

        assertThat(Thread.interrupted()).isTrue();
        assertThat(count).isZero();
        assertThat(delivery.cursor()).isEmpty();
    }

    @Test
    void a_cursor_file_that_cannot_be_read_is_no_cursor() throws Exception {
        Files.createDirectories(cursorFile);
        platform.deliver("a", "", "one");

        assertThat(new PollDelivery(agent, withCursor()).runOnce(remember)).isEqualTo(1);
    }

    private PollOptions withCursor() {
        return PollOptions.defaults().withCursorFile(cursorFile);
    }
}
