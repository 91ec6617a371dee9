package ai.molecule.system.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.system.Platform;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A writer that does not commit, and a reader that hardly reads: neither holds up anybody else, and nothing of theirs is lost. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SlowPartiesIT {

    /** Far more than the buffers of the system and the hub hold for one connection. */
    private static final int LARGE_EVENTS = 400;

    private static final String LARGE_TEXT = "x".repeat(60_000);

    private Platform platform;
    private LogTable table;
    private String hub;

    @BeforeAll
    void start(@TempDir Path data) throws Exception {
        platform = Platform.up(data, "--no-demo");
        table = LogTable.of(platform);
        hub = "http://127.0.0.1:"
                + Platform.JSON
                        .readTree(data.resolve("run.json").toFile())
                        .findValue("events")
                        .get("port")
                        .asInt();
    }

    @AfterAll
    void stop() {
        platform.close();
    }

    @Test
    void what_was_written_in_a_long_transaction_is_shown_when_it_commits_and_what_others_write_at_once()
            throws Exception {
        try (var early = new Follower(platform.url);
                var slow = table.connect();
                var quick = table.connect()) {
            // Given: it took the lowest place in the table and stays open
            slow.setAutoCommit(false);
            LogTable.append(slow, "SLOW_FIRST", "");
            append(quick, "QUICK", 500);
            await().until(() -> count(early, "QUICK") == 500);
            LogTable.append(slow, "SLOW_LAST", "");
            append(quick, "QUICK", 500);
            await().until(() -> count(early, "QUICK") == 1000);
            assertThat(count(early, "SLOW_FIRST")).isZero();

            // When
            slow.commit();
            append(quick, "QUICK", 10);

            // Then
            try (var late = new Follower(platform.url)) {
                table.awaitFollowed(early, late);
            }
            assertThat(count(early, "SLOW_FIRST")).isEqualTo(1);
            assertThat(count(early, "SLOW_LAST")).isEqualTo(1);
        }
    }

    @Test
    void a_client_that_hardly_reads_is_sent_away_and_completes_its_stream_when_it_comes_back() throws Exception {
        try (var quick = new Follower(platform.url);
                var writer = table.connect();
                var drip = new DrippingClient(hub)) {
            // When: it reads one byte whenever the others have another event
            int expected = table.rows().size();
            for (int number = 0; number < LARGE_EVENTS; number++) {
                LogTable.append(writer, "LARGE", LARGE_TEXT);
                int now = ++expected;
                await().pollInterval(Duration.ofMillis(2))
                        .until(() -> quick.recorded().size() >= now);
                drip.readOneByte();
            }

            // Then
            table.awaitFollowed(quick);
            var rows = table.rows();
            var got = drip.readToTheEnd();
            assertThat(got.size()).isLessThan(LARGE_EVENTS);
            assertThat(rows).containsSequence(got); // cut, but without a hole
            assertThat(drip.closeCode()).isIn(1013, 0); // 0: it took longer than 10 s to get to it
            try (var again = new Follower(platform.url)) {
                table.awaitFollowed(again);
            }
            assertThat(drip.comeBack(rows.size() - rows.indexOf(got.getLast()) - 1))
                    .isEqualTo(rows.subList(rows.indexOf(got.getLast()) + 1, rows.size()));
        }
    }

    private static void append(Connection connection, String type, int count) throws Exception {
        for (int number = 0; number < count; number++) {
            LogTable.append(connection, type, "");
        }
    }

    private static long count(Follower follower, String type) {
        return follower.recorded().stream()
                .filter(row -> row.split(" ")[1].equals(type))
                .count();
    }
}
