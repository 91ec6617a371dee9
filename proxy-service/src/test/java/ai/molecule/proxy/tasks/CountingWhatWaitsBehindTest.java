package ai.molecule.proxy.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.WaitsBehind;
import ai.molecule.common.bus.proxy.WaitsBehind.Held;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@link WaitsBehind}: how much cannot go on until a person does something about an agent. */
@ExtendWith(VertxExtension.class)
class CountingWhatWaitsBehindTest {

    private final UUID lead = UUID.randomUUID();
    private final UUID writer = UUID.randomUUID();
    private final UUID tester = UUID.randomUUID();
    private final UUID report = UUID.randomUUID();
    private final UUID other = UUID.randomUUID();

    @SuppressWarnings("NullAway.Init")
    private Bus bus;

    @SuppressWarnings("NullAway.Init")
    private Pool pool;

    @BeforeEach
    void start(Vertx vertx) {
        var proxy = ProxyUnderTest.start(vertx);
        bus = new Bus(vertx);
        pool = PgBuilder.pool()
                .connectingTo(PgConnectOptions.fromUri(proxy.databaseUrl()))
                .using(vertx)
                .build();
    }

    @AfterEach
    void stop() {
        pool.close().await();
    }

    @Test
    void those_wait_that_handed_the_task_on_directly_or_through_others_for_the_same_piece_of_work() {
        task(lead, null, "root", report, false);
        task(writer, lead, "write", report, false);
        task(tester, writer, "test", report, false);
        task(lead, null, "another", other, false);
        task(writer, lead, "done", report, true);

        assertThat(behind(new Held(report, tester, "test", null))).isEqualTo("2 tasks, 1 works");
        assertThat(behind(new Held(report, writer, "write", null))).isEqualTo("1 tasks, 1 works");
        assertThat(behind(new Held(report, lead, "root", null))).isEqualTo("0 tasks, 1 works");
        assertThat(behind(new Held(report, tester, "nobody's", null))).isEqualTo("none");
    }

    @Test
    void behind_an_agent_waits_all_that_it_is_at_and_what_is_in_its_queue_and_behind_a_work_all_of_it() {
        task(lead, null, "root", report, false);
        task(writer, lead, "write", report, false);
        task(writer, null, "asked", other, false);
        for (int i = 0; i < 3; i++) {
            pool.preparedQuery("""
                            INSERT INTO proxy.a2a_queue (id, target_id, priority, method, body, headers, status, expires_at)
                            VALUES ($1, $2, 50, 'message/send', '', '{}', 'queued', now() + interval '1 day')""").execute(Tuple.of(UUID.randomUUID(), writer)).await();
        }

        assertThat(behind(new Held(report, writer, null, null))).isEqualTo("6 tasks, 2 works");
        assertThat(behind(new Held(report, lead, null, report))).isEqualTo("2 tasks, 1 works");
    }

    @Test
    void a_circle_of_agents_that_wait_for_each_other_is_counted_once() {
        task(lead, writer, "one", report, false);
        task(writer, lead, "two", report, false);

        assertThat(behind(new Held(report, writer, "two", null))).isEqualTo("1 tasks, 1 works");
    }

    private String behind(Held held) {
        return bus.call(WaitsBehind.CONTRACT, new WaitsBehind(List.of(held))).await().counts().stream()
                .map(count -> count.tasks() + " tasks, " + count.works() + " works")
                .collect(Collectors.collectingAndThen(
                        Collectors.joining(), counts -> counts.isEmpty() ? "none" : counts));
    }

    private void task(UUID agent, @Nullable UUID caller, String message, UUID work, boolean ended) {
        pool.preparedQuery("""
                        INSERT INTO proxy.tasks (id, owner, workspace_id, caller_id, message_id, work_id, preview, status, started_at, ended_at)
                        VALUES ($1, $1, $2, $3, $4, $5, '', 'running', now(), CASE WHEN $6 THEN now() END)""")
                .execute(Tuple.of(UUID.randomUUID(), agent, caller, message, work, ended))
                .await();
    }
}
