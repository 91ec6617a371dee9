package ai.molecule.proxy.activity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.ActivityArrived;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.events.LiveEvents;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.testkit.Waits;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Rows are written in order, survive a database that is away, and a bad one costs no other. */
@ExtendWith(VertxExtension.class)
class WritingActivityTest {

    private static final Future<Void> AT_ONCE = Future.succeededFuture();

    private final UUID workspace = UUID.randomUUID();
    private final List<LiveEvent> shown = new CopyOnWriteArrayList<>();
    private final List<UUID> arrived = new CopyOnWriteArrayList<>();

    @SuppressWarnings("NullAway.Init")
    private Context loop;

    @SuppressWarnings("NullAway.Init")
    private ServiceContext service;

    @SuppressWarnings("NullAway.Init")
    private ActivityWriter writer;

    @BeforeEach
    void open(Vertx vertx) {
        loop = vertx.getOrCreateContext();
        service = ServiceContext.open(vertx, TestConfig.platform(), "proxy").await();
        var bus = new Bus(vertx);
        bus.listen(LiveEvents.HINT, together -> shown.addAll(together.events()))
                .completion()
                .await();
        bus.listen(ActivityArrived.HINT, hint -> arrived.addAll(hint.workspaceIds()))
                .completion()
                .await();
        var log = new ActivityLog(bus, Clock.systemUTC());
        writer = new ActivityWriter(
                vertx,
                log,
                rows -> log.append(service.pool(), rows),
                ActivityLimits.DEFAULT,
                service.reconcilers().add("activity-rows", "writes"),
                service.meters());
    }

    @AfterEach
    void close() {
        service.close().await();
    }

    @Test
    void rows_are_there_in_the_order_in_which_they_were_added_and_whoever_waits_hears_of_them() {
        onLoop(() -> IntStream.range(0, 300).forEach(i -> writer.add(row("r" + i, null), AT_ONCE)));
        onLoop(() -> writer.flush(Waits.PATIENCE)).await();

        var all = IntStream.range(0, 300).mapToObj(i -> "r" + i).toList();
        assertThat(summaries()).isEqualTo(all);
        await().until(() -> shown.size() == 300);
        assertThat(shown)
                .extracting(event -> event.payload().path("summary").asText())
                .isEqualTo(all);
        assertThat(arrived).contains(workspace);
    }

    @Test
    void the_canvas_hears_of_a_row_when_it_may_and_whoever_polls_at_once() {
        Promise<Void> may = Promise.promise();

        onLoop(() -> writer.add(row("later", null), may.future()));
        onLoop(() -> writer.add(row("now", null), AT_ONCE));
        onLoop(() -> writer.flush(Waits.PATIENCE)).await();
        await().until(() -> shown.size() == 1 && arrived.contains(workspace));
        may.complete();

        await().until(() -> shown.size() == 2);
        assertThat(shown)
                .extracting(event -> event.payload().path("summary").asText())
                .containsExactly("now", "later");
    }

    @Test
    void while_the_database_is_away_rows_wait_and_are_then_written_once() {
        trigger("log.activity", "STATEMENT", "true", "57P03");

        onLoop(() -> writer.add(row("one", null), AT_ONCE));
        onLoop(() -> writer.add(row("two", null), AT_ONCE));
        await().until(() -> service.reconcilers().status(List.of()).reconcilers().stream()
                .anyMatch(one -> one.name().equals("activity-rows") && !one.ok()));
        assertThat(summaries()).isEmpty();
        service.pool().query("DROP TRIGGER refusing ON log.activity").execute().await();
        onLoop(() -> writer.flush(Waits.PATIENCE)).await();

        assertThat(summaries()).containsExactly("one", "two");
    }

    @Test
    void a_row_that_is_refused_holds_up_no_other_and_is_written_without_its_bodies() {
        trigger("log.activity_bodies", "ROW", "NEW.request_body = '\"bad\"'", "P0001");

        onLoop(() -> {
            writer.add(row("good", "\"good\""), AT_ONCE);
            writer.add(row("bad", "\"bad\""), AT_ONCE);
            writer.add(row("last", "\"last\""), AT_ONCE);
        });
        onLoop(() -> writer.flush(Waits.PATIENCE)).await();

        assertThat(summaries()).containsExactly("good", "bad", "last");
        assertThat(refused()).isZero();
    }

    @Test
    void a_row_that_is_refused_even_bare_is_given_up_and_counted() {
        trigger("log.activity", "ROW", "NEW.summary = 'bad'", "P0001");

        onLoop(() -> {
            writer.add(row("good", null), AT_ONCE);
            writer.add(row("bad", null), AT_ONCE);
        });
        onLoop(() -> writer.flush(Waits.PATIENCE)).await();

        assertThat(summaries()).containsExactly("good");
        assertThat(refused()).isEqualTo(1);
    }

    @Test
    void a_flush_does_not_wait_past_its_deadline() {
        trigger("log.activity", "STATEMENT", "true", "57P03");
        onLoop(() -> writer.add(row("two", null), AT_ONCE));

        assertThat(onLoop(() -> writer.flush(Duration.ofMillis(50)))
                        .map("written")
                        .otherwise("late")
                        .await())
                .isEqualTo("late");
    }

    private void trigger(String table, String each, String when, String state) {
        service.pool().query("""
                        CREATE FUNCTION log.refusing() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN IF %s THEN RAISE EXCEPTION 'no' USING ERRCODE = '%s'; END IF; RETURN NEW; END $$;
                        CREATE TRIGGER refusing BEFORE INSERT ON %s FOR EACH %s EXECUTE FUNCTION log.refusing()
                        """.formatted(when, state, table, each)).execute().await();
    }

    private double refused() {
        return service.meters().counter("molecule.activity.refused").count();
    }

    private List<String> summaries() {
        return service
                .pool()
                .preparedQuery("SELECT summary FROM log.activity WHERE workspace_id = $1 ORDER BY seq")
                .execute(Tuple.of(workspace))
                .await()
                .stream()
                .map(row -> row.getString(0))
                .toList();
    }

    private <T> Future<T> onLoop(Supplier<Future<T>> work) {
        Promise<Future<T>> started = Promise.promise();
        loop.runOnContext(go -> started.complete(work.get()));
        return started.future().await();
    }

    private void onLoop(Runnable work) {
        onLoop(() -> {
                    work.run();
                    return Future.succeededFuture();
                })
                .await();
    }

    private ActivityRow row(String summary, @Nullable String request) {
        return new ActivityRow(
                UUID.randomUUID(),
                workspace,
                "a2a_receive",
                null,
                workspace,
                "message/send",
                summary,
                request,
                null,
                null,
                1,
                "ok",
                null,
                null,
                null,
                Instant.now(),
                true);
    }
}
