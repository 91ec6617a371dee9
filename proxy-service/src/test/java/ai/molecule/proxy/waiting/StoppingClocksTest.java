package ai.molecule.proxy.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The clocks of delegations whose tasks wait are looked at every other second, on every replica. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class StoppingClocksTest {

    @Test
    void delegations_that_are_over_are_not_read_for_it(Vertx vertx) {
        var database = Postgres.pool(vertx, TestStores.freshDatabase(), "proxy");
        database.query("""
                        INSERT INTO delegations (id, result_id, delegation_id, source_id, target_id, task, run_by, status, deadline)
                        SELECT gen_random_uuid(), gen_random_uuid(), n::text, gen_random_uuid(), gen_random_uuid(), '', 'platform',
                            CASE WHEN n % 2000 = 0 THEN 'dispatched' ELSE 'completed' END, now() + interval '1 hour'
                        FROM generate_series(1, 20000) AS n
                        """).execute().await();
        database.query("""
                        INSERT INTO waits (workspace_id, task_id, cause)
                        SELECT target_id, delegation_id, 'input' FROM delegations WHERE status = 'dispatched' LIMIT 1
                        """).execute().await();
        database.query("ANALYZE delegations, waits").execute().await();

        var plan = database.query("EXPLAIN " + PgWaitStore.CLOCKS).execute().await();

        assertThat(StreamSupport.stream(plan.spliterator(), false)
                        .map(row -> row.getString(0))
                        .collect(Collectors.joining("\n")))
                .contains("delegations_running")
                .doesNotContain("Seq Scan on delegations");
    }
}
