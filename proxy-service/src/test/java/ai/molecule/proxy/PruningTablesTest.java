package ai.molecule.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.SqlClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A proxy begins between tables that are full of what is kept no longer. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class PruningTablesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Of each table, more than one batch, the oldest first. */
    private static final Map<String, String> OLD = new TreeMap<>(Map.of(
            "works", """
                    INSERT INTO works (id, root_task, workspace_id, asked_by, title, brief, status, created_at, ended_at)
                    SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'chat', 't', 'b', 'done', at, at
                    FROM (SELECT now() - interval '200 days' + n * interval '1 second' AS at FROM generate_series(1, 50) AS n) AS old
                    """,
            "tasks", """
                    INSERT INTO tasks (id, owner, workspace_id, preview, status, started_at, ended_at)
                    SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '', 'ok', at, at
                    FROM (SELECT now() - interval '200 days' + n * interval '1 second' AS at FROM generate_series(1, 2500) AS n) AS old
                    """,
            "a2a_queue", """
                    INSERT INTO a2a_queue (id, target_id, priority, method, body, headers, status, expires_at, ended_at)
                    SELECT gen_random_uuid(), gen_random_uuid(), 50, 'm', '{}', '{}', 'completed', at, at
                    FROM (SELECT now() - interval '200 days' + n * interval '1 second' AS at FROM generate_series(1, 10500) AS n) AS old
                    """,
            "delegations", """
                    INSERT INTO delegations (id, result_id, delegation_id, source_id, target_id, task, run_by, status, deadline, created_at)
                    SELECT gen_random_uuid(), gen_random_uuid(), at::text, gen_random_uuid(), gen_random_uuid(), '', 'platform', 'completed',
                        at, at
                    FROM (SELECT now() - interval '200 days' + n * interval '1 second' AS at FROM generate_series(1, 10500) AS n) AS old
                    """,
            "webhook_deliveries", """
                    INSERT INTO webhook_deliveries (type, delivery_id, digest, work_id, taken_at)
                    SELECT 'alerts', at::text, sha256(at::text::bytea), gen_random_uuid(), at
                    FROM (SELECT now() - interval '200 days' + n * interval '1 second' AS at FROM generate_series(1, 10500) AS n) AS old
                    """,
            "model_calls", """
                    INSERT INTO model_calls (id, workspace_id, provider, model, operation, tokens_in, cache_read, cache_write, tokens_out,
                        reasoning, estimated, outcome, status, started_at, duration_ms)
                    SELECT gen_random_uuid(), gen_random_uuid(), 'p', 'm', 'chat', 0, 0, 0, 0, 0, false, 'ok', 200, at, 0
                    FROM (SELECT now() - interval '200 days' + n * interval '1 second' AS at FROM generate_series(1, 10500) AS n) AS old
                    """,
            "model_budgets", """
                    INSERT INTO model_budgets (workspace_id, period, spent)
                    SELECT gen_random_uuid(), (now() - interval '200 days' + n * interval '1 second')::date, 1
                    FROM generate_series(1, 10500) AS n
                    """,
            "model_team_budgets", """
                    INSERT INTO model_team_budgets (team_id, kind, period, spent)
                    SELECT gen_random_uuid(), 'day', (now() - interval '200 days' + n * interval '1 second')::date, 1
                    FROM generate_series(1, 10500) AS n
                    """,
            "known_tasks", """
                    INSERT INTO known_tasks (workspace_id, task_id, state, status, status_at)
                    SELECT gen_random_uuid(), at::text, 'completed', '{}', at
                    FROM (SELECT now() - interval '200 days' + n * interval '1 second' AS at FROM generate_series(1, 5500) AS n) AS old
                    """));

    private static final Map<String, String> AGES = Map.of(
            "works", "created_at",
            "tasks", "started_at",
            "a2a_queue", "ended_at",
            "delegations", "created_at",
            "webhook_deliveries", "taken_at",
            "model_calls", "started_at",
            "model_budgets", "period",
            "model_team_budgets", "period",
            "known_tasks", "status_at");

    @Test
    void all_that_is_old_goes_soon_after_the_start_but_what_another_holds(Vertx vertx) {
        var proxy = fullOfOldRows(vertx);
        var holder = Postgres.pool(vertx, proxy, "proxy").getConnection().await();
        holder.query("SET idle_in_transaction_session_timeout = 0").execute().await();
        var transaction = holder.begin().await();
        AGES.forEach((table, age) -> holder.query(
                        "SELECT 1 FROM %1$s ORDER BY %2$s LIMIT 1 FOR UPDATE".formatted(table, age))
                .execute()
                .await());

        ProxyUnderTest.start(vertx, "DATABASE_URL", proxy);

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(counts(holder))
                        .allSatisfy((table, rows) -> assertThat(rows).as(table).isOne()));
        transaction.rollback().await();
        holder.close().await();
    }

    @Test
    void a_delegation_of_a_run_is_kept_with_it_and_goes_by_its_own_age_afterwards(Vertx vertx) {
        String url = TestStores.freshDatabase();
        var database = Postgres.pool(vertx, url, "proxy");
        for (String age : List.of("1 day", "200 days")) {
            database.query("""
                            WITH run AS (
                                INSERT INTO works (id, root_task, workspace_id, asked_by, title, brief, status, created_at, ended_at)
                                SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'chat', 't', 'b', 'done', at, at
                                FROM (SELECT now() - interval '%1$s' AS at) AS old RETURNING id
                            )
                            INSERT INTO delegations (id, result_id, delegation_id, source_id, target_id, task, run_by, status, deadline,
                                created_at, work_id)
                            SELECT gen_random_uuid(), gen_random_uuid(), '%1$s', gen_random_uuid(), gen_random_uuid(), '', 'platform',
                                'completed', now(), now() - interval '200 days', id FROM run
                            """.formatted(age)).execute().await();
        }

        ProxyUnderTest.start(vertx, "DATABASE_URL", url);

        await().atMost(PATIENCE).until(() -> count(database, "works") == 1);
        assertThat(count(database, "delegations WHERE work_id IN (SELECT id FROM works)"))
                .isOne();
        assertThat(count(database, "delegations WHERE work_id NOT IN (SELECT id FROM works)"))
                .isZero();
    }

    private static String fullOfOldRows(Vertx vertx) {
        String url = TestStores.freshDatabase();
        var database = Postgres.pool(vertx, url, "proxy");
        OLD.values().forEach(rows -> database.query(rows).execute().await());
        database.close().await();
        return url;
    }

    private static Map<String, Long> counts(SqlClient database) {
        Map<String, Long> counts = new TreeMap<>();
        AGES.keySet().forEach(table -> counts.put(table, count(database, table)));
        return counts;
    }

    private static long count(SqlClient database, String rows) {
        return database.query("SELECT count(*) FROM " + rows)
                .execute()
                .await()
                .iterator()
                .next()
                .getLong(0);
    }
}
