package ai.molecule.proxy.tasks;

import static ai.molecule.proxy.ProxyUnderTest.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.StandInPlatform;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.junit5.VertxExtension;
import io.vertx.pgclient.PgBuilder;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A task ends while its end cannot be written. */
@ExtendWith(VertxExtension.class)
class EndsDuringAnOutageTest {

    private static final String ASKS = "{\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"contextId\":\"c-1\",\"status\":"
            + "{\"state\":\"input-required\",\"message\":{\"kind\":\"message\",\"role\":\"agent\",\"messageId\":\"q\","
            + "\"parts\":[{\"kind\":\"text\",\"text\":\"which?\"}]}}}}";
    private static final String DONE =
            "{\"result\":{\"kind\":\"task\",\"id\":\"t-1\",\"contextId\":\"c-1\",\"status\":{\"state\":\"completed\"}}}";

    private final Queue<HttpServerRequest> working = new ConcurrentLinkedQueue<>();

    @SuppressWarnings("NullAway.Init")
    private ProxyUnderTest proxy;

    @SuppressWarnings("NullAway.Init")
    private Pool database;

    @SuppressWarnings("NullAway.Init")
    private UUID agent;

    @BeforeEach
    void start(Vertx vertx) {
        String url = TestStores.freshDatabase();
        proxy = ProxyUnderTest.start(
                vertx,
                new StandInPlatform(vertx),
                ProxyConfig.fromEnv(TestConfig.env("DATABASE_URL", url)),
                work -> work);
        database = PgBuilder.pool().connectingTo(url).using(vertx).build();
        agent = proxy.agent(working::add);
    }

    @Test
    void an_end_that_cannot_be_written_for_longer_than_a_statement_lasts_is_written_afterwards() {
        var answered = proxy.sending(agent, message("m-1", ""));
        await().until(() -> !working.isEmpty());
        await().until(() -> count("tasks WHERE status = 'running'") == 1);

        var lock = database.getConnection().await();
        var transaction = lock.begin().await();
        lock.query("LOCK TABLE proxy.tasks").execute().await();
        json(working.remove().response(), DONE);
        answered.await();
        awaitGivenUp("%_tasks(%");
        transaction.rollback().await();
        lock.close().await();

        await().until(() -> count("tasks WHERE status = 'ok'") == 1);
        assertThat(count("works WHERE status = 'done'")).isOne();
    }

    @Test
    void a_wait_that_ended_meanwhile_is_over_afterwards() {
        var asking = proxy.sending(agent, message("m-1", ""));
        await().until(() -> !working.isEmpty());
        json(working.remove().response(), ASKS);
        asking.await();
        await().until(() -> count("waits") == 1);
        var going = proxy.sending(agent, message("m-2", ",\"taskId\":\"t-1\",\"contextId\":\"c-1\""));
        await().until(() -> !working.isEmpty());

        var lock = database.getConnection().await();
        var transaction = lock.begin().await();
        lock.query("LOCK TABLE proxy.waits").execute().await();
        json(working.remove().response(), DONE);
        going.await();
        awaitGivenUp("%DELETE FROM waits%TASK_WAIT_ENDED%");
        transaction.rollback().await();
        lock.close().await();

        await().until(() -> count("waits") == 0);
    }

    @Test
    void a_task_of_which_its_proxy_knows_nothing_any_more_is_ended_and_one_that_it_waits_for_is_not() {
        proxy.sending(agent, message("m-1", ""));
        await().until(() -> count("tasks WHERE status = 'running'") == 1);
        database.query("UPDATE proxy.tasks SET started_at = now() - interval '1 minute'")
                .execute()
                .await();

        database.query("""
                        WITH lost AS (
                            INSERT INTO proxy.tasks (id, owner, workspace_id, message_id, preview, status, started_at)
                            SELECT gen_random_uuid(), owner, workspace_id, 'm-0', preview, status, started_at FROM proxy.tasks
                            RETURNING id, workspace_id)
                        INSERT INTO proxy.works (id, root_task, workspace_id, asked_by, title, brief, status, created_at)
                        SELECT id, id, workspace_id, 'chat', 't', 'b', 'working', now() FROM lost
                        """).execute().await();

        await().until(() -> count("tasks WHERE status = 'unknown' AND message_id = 'm-0'") == 1);
        assertThat(count("works WHERE status = 'failed'")).isOne();
        assertThat(count("tasks WHERE status = 'running' AND message_id = 'm-1'"))
                .isOne();
    }

    /** The database gives a statement up after 10 s. */
    private void awaitGivenUp(String like) {
        var first = new AtomicReference<OffsetDateTime>();
        await().until(() -> {
            first.set(waitingSince(like));
            return first.get() != null;
        });
        await().until(() -> {
            var since = waitingSince(like);
            return since == null || since.isAfter(first.get());
        });
    }

    private @Nullable OffsetDateTime waitingSince(String like) {
        return database.preparedQuery(
                        "SELECT min(query_start) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1")
                .execute(Tuple.of(like))
                .await()
                .iterator()
                .next()
                .getOffsetDateTime(0);
    }

    private long count(String rows) {
        return database.query("SELECT count(*) FROM proxy." + rows)
                .execute()
                .await()
                .iterator()
                .next()
                .getLong(0);
    }

    private static String message(String id, String more) {
        return "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"message/send\",\"params\":{\"message\":{\"kind\":\"message\",\"role\":\"user\","
                + "\"messageId\":\"%s\"%s,\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}]}}}".formatted(id, more);
    }
}
