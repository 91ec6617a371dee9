package ai.molecule.proxy.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.service.ServiceContext;
import ai.molecule.common.testing.TestConfig;
import ai.molecule.proxy.tasks.TaskNote.Begun;
import ai.molecule.proxy.tasks.TaskNote.Over;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an answer leaves behind, its task and its row of activity, is one commit. */
@ExtendWith(VertxExtension.class)
class CommittingTogetherTest {

    private final UUID agent = UUID.randomUUID();

    @SuppressWarnings("NullAway.Init")
    private Context loop;

    @SuppressWarnings("NullAway.Init")
    private ServiceContext service;

    @SuppressWarnings("NullAway.Init")
    private ActivityLog log;

    @SuppressWarnings("NullAway.Init")
    private TaskLog tasks;

    @BeforeEach
    void open(Vertx vertx) {
        loop = vertx.getOrCreateContext();
        service = ServiceContext.open(vertx, TestConfig.platform(), "proxy").await();
        log = new ActivityLog(service.bus(), Clock.systemUTC());
        tasks = new TaskLog(service, UUID.randomUUID(), Duration.ofDays(1));
    }

    @AfterEach
    void close() {
        service.close().await();
    }

    @Test
    void a_task_that_is_over_is_there_when_its_row_is_and_not_before() {
        var other = service.pool().getConnection().await();
        var holding = other.begin().await(); // whoever appends to the agent's activity waits for it
        other.preparedQuery("SELECT pg_advisory_xact_lock(73110, hashtext($1))")
                .execute(Tuple.of(agent.toString()))
                .await();

        var id = UUID.randomUUID();
        var appended = overAndAppended(id, List.of(row(id)));
        await().until(() ->
                count("pg_locks JOIN pg_database AS d ON d.oid = database WHERE datname = current_database()"
                                + " AND locktype = 'advisory' AND classid = 73110 AND NOT granted")
                        == 1);
        int before = count("tasks");
        holding.commit().await();

        assertThat(before).isZero();
        assertThat(appended.await()).containsExactly(id);
        assertThat(count("tasks WHERE status = 'ok'")).isEqualTo(1);
        assertThat(count("works WHERE status = 'done'")).isEqualTo(1);
        other.close().await();
    }

    @Test
    void rows_that_cannot_be_appended_cost_the_task_nothing() {
        var id = UUID.randomUUID();

        var appended = overAndAppended(id, Collections.nCopies(ActivityLog.ROWS_MAX + 1, row(id)));

        await().until(appended::isComplete);
        assertThat(appended.succeeded()).isFalse();
        await().until(() -> count("tasks WHERE status = 'ok'") == 1);
    }

    @Test
    void an_end_of_a_task_that_was_begun_before_goes_with_its_row_too() {
        var id = UUID.randomUUID();
        onLoop(() -> {
                    tasks.note(begun(id));
                    return tasks.flush();
                })
                .await();
        assertThat(count("tasks WHERE status = 'running'")).isEqualTo(1);

        var appended = onLoop(() -> {
            tasks.note(over(id));
            return tasks.append(log, List.of(row(id)));
        });

        assertThat(appended.await()).containsExactly(id);
        assertThat(count("tasks WHERE status = 'ok'")).isEqualTo(1);
    }

    private Future<Set<UUID>> overAndAppended(UUID id, List<ActivityRow> rows) {
        return onLoop(() -> {
            tasks.note(begun(id));
            tasks.note(over(id));
            return tasks.append(log, rows);
        });
    }

    private <T> Future<T> onLoop(Supplier<Future<T>> work) {
        Promise<T> outcome = Promise.promise();
        loop.runOnContext(turn -> work.get().onComplete(outcome));
        return outcome.future();
    }

    private int count(String from) {
        var rows = service.pool()
                .query("SELECT count(*)::int FROM " + from)
                .execute()
                .await();
        return rows.iterator().next().getInteger(0);
    }

    private Begun begun(UUID id) {
        return new Begun(id, agent, null, "m-" + id, null, null, null, "Do it", Instant.now());
    }

    private Over over(UUID id) {
        return new Over(id, agent, null, "m-" + id, null, "ok", "Done.", null, Instant.now());
    }

    private ActivityRow row(UUID id) {
        return new ActivityRow(
                id,
                agent,
                "a2a_receive",
                null,
                agent,
                "message/send",
                "said",
                "{}",
                "{}",
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
