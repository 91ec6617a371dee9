package ai.molecule.events;

import static ai.molecule.events.ActivityFixture.row;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.bus.hints.WorkspacesPurged;
import ai.molecule.events.activity.ActivityRetention;
import ai.molecule.events.activity.PgActivityDayStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.RowSet;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Activity is kept for so many days and then dropped a day at a time; when its workspace is purged, at once. */
@ExtendWith(VertxExtension.class)
class ForgettingActivityTest {

    private static final int DAYS = 7;

    private final UUID workspace = UUID.randomUUID();
    private final Instant now = Instant.now();

    @SuppressWarnings("NullAway.Init")
    private EventsFixture service;

    @BeforeEach
    void start(Vertx vertx) {
        service = EventsFixture.start(vertx, "ACTIVITY_RETENTION_DAYS", String.valueOf(DAYS));
    }

    @Test
    void rows_of_days_past_the_retention_are_gone_and_younger_ones_stay() {
        append("old", daysAgo(DAYS));
        append("young", daysAgo(DAYS - 1));

        in(1).run().await();

        assertThat(listed()).contains("young").doesNotContain("old");
    }

    @Test
    void that_of_a_purged_workspace_goes_with_it_and_anothers_stays() {
        append("purged", daysAgo(1));
        append("purged too", now);
        var other = ActivityFixture.received(UUID.randomUUID(), null, "another's");
        service.append(List.of(other)).await();

        service.bus.poke(WorkspacesPurged.HINT, new WorkspacesPurged(List.of(UUID.randomUUID(), workspace)));

        Awaitility.await().untilAsserted(() -> assertThat(listed()).isEqualTo("200 []"));
        assertThat(service.json("/workspaces/" + other.workspaceId() + "/activity"))
                .hasSize(1);
    }

    @Test
    void there_is_room_for_every_day_that_is_kept_and_the_next_two() {
        in(100).run().await();

        assertThat(days())
                .hasSize(DAYS + 3)
                .startsWith(today().plusDays(100 - DAYS))
                .endsWith(today().plusDays(102));
    }

    @Test
    void a_row_from_far_outside_is_kept_with_the_nearest_day() {
        append("ancient", Instant.EPOCH);
        append("from a clock that is ahead", daysAgo(-400));

        assertThat(listed()).contains("ancient", "from a clock that is ahead");
    }

    @Test
    void a_drop_that_was_interrupted_is_completed_by_the_next_run() {
        String oldest = "log.activity_" + today().minusDays(DAYS).toString().replace("-", "");
        sql("ALTER TABLE log.activity DETACH PARTITION " + oldest).await();

        in(1).run().await();

        assertThat(days()).first().isEqualTo(today().plusDays(1 - DAYS));
    }

    @Test
    void replicas_that_run_at_once_do_not_clash() {
        Future.join(IntStream.range(0, 4).mapToObj(replica -> in(3).run()).toList())
                .otherwiseEmpty()
                .await();
        in(3).run().await(); // whoever lost a race left its rest to the next run

        assertThat(days()).hasSize(DAYS + 3);
    }

    @Test
    void writers_go_on_while_a_reader_holds_up_the_drop() {
        var reader = service.pool.getConnection().await();
        reader.query("BEGIN").execute().await();
        reader.query("SELECT count(*) FROM log.activity").execute().await();
        var dropping = in(1).run();

        int stored = append("meanwhile", now);

        assertThat(stored).isEqualTo(1);
        assertThat(dropping.isComplete()).isFalse();
        reader.query("COMMIT").execute().await();
        reader.close().await();
        dropping.await();
        assertThat(days()).first().isEqualTo(today().plusDays(1 - DAYS));
    }

    @Test
    void a_full_day_is_dropped_while_a_writer_goes_on() {
        String oldest = "log.activity_" + today().minusDays(DAYS).toString().replace("-", "");
        sql("INSERT INTO log.activity (id, day, workspace_id, activity_type, created_at)"
                        + " SELECT gen_random_uuid(), '%1$s', gen_random_uuid(), 'agent_log', '%1$s' FROM generate_series(1, 20000)"
                                .formatted(today().minusDays(DAYS)))
                .await();

        var dropping = in(1).run();
        int stored = 0;
        for (int number = 0; number < 20; number++) {
            stored += append("meanwhile " + number, now);
        }

        dropping.await();
        assertThat(stored).isEqualTo(20);
        assertThat(sql("SELECT to_regclass('%s') IS NULL".formatted(oldest))
                        .await()
                        .iterator()
                        .next()
                        .getBoolean(0))
                .isTrue();
    }

    @Test
    void a_key_is_remembered_across_days() {
        append(keyed("before midnight", daysAgo(1)));

        int stored = append(keyed("after midnight", now));

        assertThat(stored).isZero();
    }

    @Test
    void of_repeats_that_race_across_midnight_one_is_stored() {
        var stored = Future.all(IntStream.range(0, 20)
                        .mapToObj(n -> service.append(List.of(keyed("repeat", daysAgo(n % 2)))))
                        .toList())
                .await();

        assertThat(stored.<Integer>list().stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(1);
    }

    /** The reconciler so many days from now. */
    private ActivityRetention in(int days) {
        var clock = Clock.offset(Clock.fixed(now, ZoneOffset.UTC), Duration.ofDays(days));
        return new ActivityRetention(new PgActivityDayStore(service.pool, 256L << 20), clock, DAYS);
    }

    private int append(String summary, Instant createdAt) {
        return append(row(UUID.randomUUID(), workspace, null, "message/send", summary, null, null, createdAt));
    }

    private int append(ActivityRow row) {
        return service.append(List.of(row)).await();
    }

    private ActivityRow keyed(String summary, Instant createdAt) {
        return row(UUID.randomUUID(), workspace, null, "message/send", summary, null, "the key", createdAt);
    }

    private String listed() {
        return service.get("/workspaces/%s/activity".formatted(workspace));
    }

    private List<LocalDate> days() {
        return sql("SELECT to_date(right(inhrelid::regclass::text, 8), 'YYYYMMDD') AS day FROM pg_inherits"
                        + " WHERE inhparent = 'log.activity'::regclass ORDER BY day")
                .await()
                .stream()
                .map(row -> row.getLocalDate(0))
                .toList();
    }

    private Future<RowSet<io.vertx.sqlclient.Row>> sql(String statement) {
        return service.pool.query(statement).execute();
    }

    private LocalDate today() {
        return LocalDate.ofInstant(now, ZoneOffset.UTC);
    }

    private Instant daysAgo(int days) {
        return now.minus(Duration.ofDays(days));
    }
}
