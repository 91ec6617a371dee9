package ai.molecule.events.history;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.events.log.LogPage;
import ai.molecule.events.log.LogService;
import ai.molecule.events.log.LogStore;
import ai.molecule.events.log.LoggedEvent;
import ai.molecule.events.log.PgLogStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How much of the log is read for the org chart of a moment. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class ReadingNoFurtherThanTheMomentTest {

    private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    private final List<Long> readUpTo = new CopyOnWriteArrayList<>();
    private ServiceContext service;
    private HistoryService history;

    @BeforeEach
    void open(Vertx vertx) {
        service = ServiceContext.open(vertx, TestConfig.platform(), "events").await();
        var log = new Watched(new PgLogStore(service.database()), readUpTo);
        history = new HistoryService(
                new PgSnapshotStore(service.database()),
                log,
                new LogService(log, (time, unit) -> vertx.timer(time, unit)),
                Clock.fixed(NOW, ZoneOffset.UTC),
                Duration.ofDays(90),
                new Bus(vertx));
    }

    @AfterEach
    void close() {
        service.close().await();
    }

    @Test
    void it_ends_at_the_first_snapshot_after_the_moment() {
        made(1, Duration.ofHours(50));
        snapshot(1, Duration.ofHours(48));
        made(2, Duration.ofHours(47));
        snapshot(2, Duration.ofHours(24));
        made(3, Duration.ofHours(23));
        made(20_000, Duration.ofHours(1));

        assertThat(names(Duration.ofHours(49))).containsExactly("of 1");
        assertThat(readUpTo).containsExactly(1L);

        readUpTo.clear();
        assertThat(names(Duration.ofHours(30))).containsExactly("of 1", "of 2");
        assertThat(readUpTo).containsExactly(2L);
    }

    @Test
    void behind_the_newest_snapshot_it_ends_where_all_is_later_than_the_moment_and_what_was_late_counts() {
        made(1, Duration.ofHours(10));
        made(2, Duration.ofHours(8));
        made(3, Duration.ofHours(9)); // committed late
        made(6_000, Duration.ofHours(4));
        made(20_000, Duration.ofHours(1));

        assertThat(names(Duration.ofMinutes(510))).containsExactly("of 1", "of 3");
        assertThat(readUpTo).containsExactly(5_000L, 10_000L);
    }

    @Test
    void a_snapshot_has_everything_up_to_the_end_of_the_log() {
        made(1, Duration.ofHours(10));
        made(20_000, Duration.ofHours(1));

        history.run().await();

        assertThat(service.pool()
                        .query("SELECT seq FROM org_snapshots")
                        .execute()
                        .await()
                        .iterator()
                        .next()
                        .getLong(0))
                .isEqualTo(20_000);
        assertThat(names(Duration.ZERO)).containsExactly("of 1", "of 20000");
    }

    /** A workspace that was made so long ago, told at that position. */
    private void made(long seq, Duration ago) {
        service.pool()
                .preparedQuery("""
                        INSERT INTO log.events (seq, event_type, workspace_id, payload, created_at)
                        VALUES ($1, 'WORKSPACE_PROVISIONING', $2, jsonb_build_object('name', 'of ' || $1::bigint), $3)
                        """)
                .execute(Tuple.of(seq, new UUID(0, seq), NOW.minus(ago).atOffset(ZoneOffset.UTC)))
                .await();
    }

    private void snapshot(long seq, Duration ago) {
        var org = new PastOrg();
        for (var logged :
                new PgLogStore(service.database()).ofWorkspaces(0, seq).await()) {
            org.apply(logged.event());
        }
        service.pool()
                .preparedQuery("INSERT INTO org_snapshots (seq, taken_at, chart) VALUES ($1, $2, $3::text::jsonb)")
                .execute(Tuple.of(
                        seq,
                        NOW.minus(ago).atOffset(ZoneOffset.UTC),
                        org.toChart().toString()))
                .await();
    }

    private List<String> names(Duration ago) {
        return history.at(NOW.minus(ago), place -> true).await().findValuesAsText("name");
    }

    /** The log, and how far it was read. */
    private record Watched(LogStore log, List<Long> readUpTo) implements LogStore {

        @Override
        public Future<Long> last() {
            return log.last();
        }

        @Override
        public Future<List<LoggedEvent>> after(long seq, int limit, @Nullable UUID workspaceId) {
            return log.after(seq, limit, workspaceId);
        }

        @Override
        public Future<List<LoggedEvent>> ofWorkspaces(long after, long upTo) {
            readUpTo.add(upTo);
            return log.ofWorkspaces(after, upTo);
        }

        @Override
        public Future<List<LoggedEvent>> page(LogPage page) {
            return log.page(page);
        }

        @Override
        public Future<Long> prunedTo() {
            return log.prunedTo();
        }

        @Override
        public Future<Integer> prune(long upToSeq, int limit) {
            return log.prune(upToSeq, limit);
        }

        @Override
        public Future<Boolean> hasUnnumbered() {
            return log.hasUnnumbered();
        }
    }
}
