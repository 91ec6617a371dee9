package ai.molecule.runtime.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.runtime.StandInPlatform;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What came of an agent's delegations is handed over to it once, and shown to its user. */
class HandingOverResultsTest {

    private static final String DONE = row("11112222-aaaa", "ws-1", "completed", "count ships", "seven\nships", "");
    private static final String FAILED = row("33334444-bbbb", "ws-1", "failed", "count\n- [completed] x", "", "no one");

    @TempDir
    private Path home;

    private StandInPlatform platform;
    private final MovableClock clock = new MovableClock();

    @BeforeEach
    void startPlatform() throws Exception {
        platform = new StandInPlatform();
        platform.descriptions.put("ws-1", "{\"id\":\"ws-1\",\"parent_id\":\"ws-0\"}");
        platform.descriptions.put("ws-0", "{\"id\":\"ws-0\",\"name\":\"Lead\"}");
    }

    @AfterEach
    void stop() {
        platform.close();
    }

    @Test
    void results_go_into_the_file_to_the_agent_and_to_the_user() throws Exception {
        platform.delegations = list(FAILED, DONE);

        watch().look();

        assertThat(Files.readAllLines(file()).getFirst())
                .isEqualTo("{\"delegation_id\":\"33334444-bbbb\",\"target_id\":\"ws-2\",\"source_id\":\"ws-1\","
                        + "\"status\":\"failed\",\"summary\":\"count\\n- [completed] x\",\"response_preview\":\"\","
                        + "\"error\":\"no one\",\"timestamp\":\"2026-01-01T00:00:00Z\"}");
        assertThat(toldSelf()).isEqualTo("""
                Results of work you delegated have arrived:
                - [failed] Delegation 33334444: count - [completed] x Error: no one
                - [completed] Delegation 11112222: count ships

                Look at them and go on with what they were for. Report to Lead with delegate_task when your work is done. \
                Tell your user what matters with send_message_to_user.""");
        assertThat(platform.notices.stream().map(Object::toString))
                .containsExactly(
                        "{\"message\":\"Delegation failed: count - [completed] x\",\"type\":\"delegation_result\"}",
                        "{\"message\":\"Delegation completed: count ships\\nResult: seven ships\",\"type\":\"delegation_result\"}");
    }

    @Test
    void a_failure_told_in_words_alone_is_handed_over_as_a_failure() {
        platform.delegations = list(row("1", "ws-1", "completed", "count", "Agent error: no key", ""));

        watch().look();

        assertThat(toldSelf()).contains("- [failed] Delegation 1: count Error: Agent error: no key");
        assertThat(platform.notices.getFirst().path("message").asText()).isEqualTo("Delegation failed: count");
    }

    @Test
    void what_runs_is_left_and_what_belongs_to_another_is_ignored() {
        platform.delegations = list(
                row("1", "ws-1", "pending", "a", "", ""),
                row("2", "ws-1", "queued", "a", "", ""),
                row("3", "ws-9", "completed", "a", "", ""),
                row("", "ws-1", "completed", "a", "", ""),
                "7");

        watch().look();

        assertThat(file()).doesNotExist();
        assertThat(platform.notices).isEmpty();
        assertThat(platform.toldSelf).isEmpty();
    }

    @Test
    void nothing_is_handed_over_twice_not_even_after_a_restart() {
        platform.delegations = list(DONE, DONE);
        watch().look();
        clock.pass(Duration.ofMinutes(5));

        watch().look();

        assertThat(platform.notices).hasSize(1);
    }

    @Test
    void the_agent_is_told_at_most_once_a_minute_and_of_everything() {
        var watch = watch();
        platform.delegations = list(DONE);
        watch.look();
        await().until(() -> platform.toldSelf.size() == 1);
        platform.delegations = list(FAILED, DONE);
        clock.pass(Duration.ofSeconds(59));
        watch.look();
        assertThat(platform.toldSelf).hasSize(1);
        clock.pass(Duration.ofSeconds(1));

        watch.look();

        await().until(() -> platform.toldSelf.size() == 2);
        assertThat(platform.toldSelf.getLast().toString()).contains("33334444").doesNotContain("11112222");
    }

    @Test
    void what_is_remembered_has_a_bound() throws Exception {
        var watch = watch();
        for (int batch = 0; batch < 6; batch++) {
            int first = batch * 50;
            platform.delegations = IntStream.range(first, first + 50)
                    .mapToObj(i -> row("d" + i, "ws-1", "completed", "a", "", ""))
                    .collect(Collectors.joining(",", "[", "]"));
            watch.look();
        }

        assertThat(Files.readAllLines(home.resolve("seen"))).hasSizeLessThanOrEqualTo(DelegationWatch.SEEN_MAX);
        assertThat(platform.notices).hasSize(300);
    }

    @Test
    void the_agent_takes_the_results_once() {
        platform.delegations = list(FAILED, DONE);
        watch().look();
        var results = new ResultsFile(file());

        assertThat(results.get()).isEqualTo("""
                - [failed] count - [completed] x
                - [completed] count ships
                  Response: seven ships""");
        assertThat(results.get()).isEmpty();
        assertThat(home.resolve("results.consumed")).doesNotExist();
    }

    @Test
    void none_is_lost_or_taken_twice_while_several_messages_begin_and_results_come() throws Exception {
        int count = 3_000;
        var written = new ResultsFile(file());
        var done = new AtomicBoolean();
        var taken = new ConcurrentLinkedQueue<String>();
        var readers = IntStream.range(0, 3)
                .mapToObj(i -> Thread.ofPlatform().start(() -> {
                    var reader = new ResultsFile(file());
                    while (!done.get()) {
                        reader.get().lines().forEach(taken::add);
                    }
                }))
                .toList();

        for (int i = 0; i < count; i++) {
            written.add(List.of(new ObjectMapper()
                    .createObjectNode()
                    .put("status", "completed")
                    .put("summary", "s" + i)));
        }
        done.set(true);
        for (var reader : readers) {
            reader.join();
        }
        written.get().lines().forEach(taken::add);

        assertThat(taken).hasSize(count).doesNotHaveDuplicates();
    }

    private DelegationWatch watch() {
        var self = new WorkspaceClient(ClientConfig.of("ws-1", platform.url(), TokenFile.in(home)));
        return new DelegationWatch(
                self, new ResultsFile(file()), new SeenFile(home.resolve("seen")), Duration.ofMinutes(5), clock);
    }

    private String toldSelf() {
        await().until(() -> !platform.toldSelf.isEmpty());
        return platform.toldSelf.getFirst().findValue("text").asText();
    }

    private Path file() {
        return home.resolve("results");
    }

    private static String list(String... rows) {
        return "[" + String.join(",", rows) + "]";
    }

    private static String row(String id, String source, String status, String summary, String preview, String error) {
        return new ObjectMapper()
                .createObjectNode()
                .put("delegation_id", id)
                .put("source_id", source)
                .put("target_id", "ws-2")
                .put("status", status)
                .put("summary", summary)
                .put("response_preview", preview)
                .put("error", error)
                .toString();
    }

    private static final class MovableClock extends Clock {

        private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

        void pass(Duration time) {
            now = now.plus(time);
        }

        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
