package ai.molecule.common.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.db.Database;
import ai.molecule.common.json.Json;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The event log's positions, with writers that commit late, and with two sequencers. */
@ExtendWith(VertxExtension.class)
class NumberingEventsTest {

    private ServiceContext service;
    private final List<Sequencer> sequencers = new ArrayList<>();

    @BeforeEach
    void openLog(Vertx vertx) {
        service = ServiceContext.open(vertx, TestConfig.platform(), "numbering").await();
    }

    @AfterEach
    void stop() {
        sequencers.forEach(sequencer -> sequencer.stop().await());
        service.close().await();
    }

    @Test
    void committed_events_get_dense_positions(Vertx vertx) {
        startSequencer(vertx);

        for (int i = 0; i < 50; i++) {
            append("E" + i);
        }

        await().untilAsserted(() -> assertThat(positions()).hasSize(50));
        assertThat(positions()).first().isEqualTo(1L);
        assertThat(positions()).last().isEqualTo(50L);
    }

    @Test
    void a_writer_that_stays_open_delays_nobody_and_is_numbered_when_it_commits(Vertx vertx) {
        // Given
        startSequencer(vertx);
        var slow = service.pool().getConnection().await();
        var transaction = slow.begin().await();
        service.events().append(slow, "SLOW", UUID.randomUUID(), Json.object()).await();

        // When
        append("QUICK");
        await().untilAsserted(() -> assertThat(types()).containsExactly("QUICK"));
        transaction.commit().await();

        // Then
        await().untilAsserted(() -> assertThat(types()).containsExactly("QUICK", "SLOW"));
        slow.close().await();
    }

    @Test
    void of_two_sequencers_one_works_and_the_other_takes_over(Vertx vertx) {
        // Given
        var first = startSequencer(vertx);
        await().until(first::isLeading);
        var second = startSequencer(vertx);
        append("BEFORE");

        // When
        first.stop().await();
        append("AFTER");

        // Then
        await().untilAsserted(() -> assertThat(types()).containsExactly("BEFORE", "AFTER"));
        assertThat(second.isLeading()).isTrue();
    }

    /**
     * As of a process that is stopped: its connection stays open and the server hears nothing else of it. It has a bus of its own, because
     * a hint of the others would run it on their event loop.
     */
    @Test
    void a_leader_that_stands_still_loses_its_term_and_numbers_nothing_when_it_goes_on(Vertx vertx)
            throws InterruptedException {
        // Given
        var elsewhere = Vertx.vertx(new VertxOptions().setBlockedThreadCheckInterval(3_600_000));
        var context = elsewhere.getOrCreateContext();
        var standing = new CountDownLatch(1);
        var first = sequencer(elsewhere, new Bus(elsewhere));
        context.runOnContext(start -> first.start());
        await().until(first::isLeading);
        append("BEFORE");
        await().untilAsserted(() -> assertThat(types()).containsExactly("BEFORE"));
        startSequencer(vertx);

        // When
        context.runOnContext(stand -> {
            try {
                standing.await();
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        });
        append("DURING");

        // Then
        await().untilAsserted(() -> assertThat(types()).containsExactly("BEFORE", "DURING"));
        standing.countDown();
        await().until(() -> !first.isLeading());
        append("AFTER");
        await().untilAsserted(() -> assertThat(types()).containsExactly("BEFORE", "DURING", "AFTER"));
        assertThat(positions()).containsExactly(1L, 2L, 3L);
        elsewhere.close().await();
    }

    /** As while a backup reads: what was numbered leaves entries in the index of what was not, which nobody may clear away yet. */
    @Test
    void while_an_old_snapshot_is_open_a_look_for_events_reads_no_more_than_before_it(Vertx vertx) {
        // Given
        startSequencer(vertx);
        var backup = service.pool().getConnection().await();
        backup.query("BEGIN ISOLATION LEVEL REPEATABLE READ").execute().await();
        backup.query("SELECT count(*) FROM log.events").execute().await();

        // When
        appendMany(2_000);
        await().untilAsserted(() -> assertThat(positions()).hasSize(2_000));
        await().until(() -> {
            append("LATER");
            return numberedTo() >= 2_000;
        });

        // Then
        assertThat(pagesRead(Sequencer.NUMBER, Tuple.of(UUID.randomUUID()))).isLessThan(60);
        assertThat(pagesRead(
                        "SELECT EXISTS (SELECT 1 FROM log.events WHERE " + Sequencer.UNNUMBERED + ")", Tuple.tuple()))
                .isLessThan(60);
        assertThat(pagesRead("SELECT EXISTS (SELECT 1 FROM log.events WHERE seq IS NULL)", Tuple.tuple()))
                .as("without a lower bound")
                .isGreaterThan(150);
        backup.query("ROLLBACK").execute().await();
        backup.close().await();
    }

    @Test
    void an_event_whose_writer_stays_open_through_many_passes_is_numbered_when_it_commits(Vertx vertx) {
        // Given
        startSequencer(vertx);
        var slow = service.pool().getConnection().await();
        var transaction = slow.begin().await();
        service.events().append(slow, "SLOW", UUID.randomUUID(), Json.object()).await();

        // When
        for (int pass = 1; pass <= 5; pass++) {
            append("QUICK");
            int known = pass;
            await().untilAsserted(() -> assertThat(positions()).hasSize(known));
        }
        assertThat(numberedTo()).isLessThan(2);
        transaction.commit().await();

        // Then
        await().untilAsserted(() -> assertThat(types()).endsWith("SLOW").hasSize(6));
        await("once its writer is over").until(() -> {
            append("QUICK");
            return numberedTo() >= 6;
        });
        slow.close().await();
    }

    @Test
    void a_lower_bound_that_a_restored_copy_brings_from_another_server_is_replaced(Vertx vertx) {
        service.pool()
                .query("UPDATE log.position SET next_to = 0, next_before = '9000000000'")
                .execute()
                .await();
        startSequencer(vertx);

        await().until(() -> {
            append("EVENT");
            return numberedTo() > 0;
        });
    }

    private void appendMany(int events) {
        service.pool()
                .query("SELECT log.append('MANY', gen_random_uuid(), jsonb_build_object('text', repeat('x', 900)))"
                        + " FROM generate_series(1, " + events + ")")
                .execute()
                .await();
        service.events().committed();
    }

    private long numberedTo() {
        return service.pool()
                .query("SELECT numbered_to FROM log.position")
                .execute()
                .await()
                .iterator()
                .next()
                .getLong(0);
    }

    private long pagesRead(String statement, Tuple parameters) {
        var plan = service.pool()
                .preparedQuery("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + statement)
                .execute(parameters)
                .await()
                .iterator()
                .next()
                .getValue(0);
        var root = Json.stored(plan.toString()).path(0).path("Plan");
        return root.path("Shared Hit Blocks").asLong()
                + root.path("Shared Read Blocks").asLong();
    }

    private Sequencer startSequencer(Vertx vertx) {
        var sequencer = sequencer(vertx, service.bus());
        sequencers.add(sequencer);
        sequencer.start();
        return sequencer;
    }

    private Sequencer sequencer(Vertx vertx, Bus bus) {
        return new Sequencer(
                vertx,
                new Database(vertx, service.config().databaseUrl(), "log", () -> {}),
                bus,
                service.reconcilers().add("sequencer", "numbers events"));
    }

    private void append(String type) {
        service.events()
                .append(service.pool(), type, UUID.randomUUID(), Json.object())
                .await();
        service.events().committed();
    }

    private List<Long> positions() {
        var rows = service.pool()
                .query("SELECT seq FROM log.events WHERE seq IS NOT NULL ORDER BY seq")
                .execute()
                .await();
        List<Long> positions = new ArrayList<>();
        rows.forEach(row -> positions.add(row.getLong(0)));
        return positions;
    }

    private List<String> types() {
        var rows = service.pool()
                .query("SELECT event_type FROM log.events WHERE seq IS NOT NULL ORDER BY seq")
                .execute()
                .await();
        List<String> types = new ArrayList<>();
        rows.forEach(row -> types.add(row.getString(0)));
        return types;
    }
}
