package ai.molecule.proxy.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A proxy that was not seen for longer than proxies that live are. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class TasksOfDeadProxiesTest {

    private static final Duration UNSEEN = Duration.ofSeconds(30);

    @Test
    void its_tasks_are_lost_unless_an_outage_may_be_why_it_was_not_seen(Vertx vertx) {
        var database = Postgres.pool(vertx, TestStores.freshDatabase(), "proxy");
        database.query("""
                        WITH proxy AS (
                            INSERT INTO proxies (id, seen_at) VALUES (gen_random_uuid(), now() - interval '1 minute') RETURNING id
                        )
                        INSERT INTO tasks (id, owner, workspace_id, preview, status, started_at)
                        SELECT gen_random_uuid(), id, gen_random_uuid(), '', 'running', now() - interval '2 minutes' FROM proxy
                        """).execute().await();
        var keeping = new PgTaskKeeping(database);

        keeping.lost(UNSEEN, Instant.now().minusSeconds(60), 10).await();
        assertThat(database.query("SELECT 1 FROM tasks WHERE status = 'running'")
                        .execute()
                        .await())
                .hasSize(1);

        keeping.lost(UNSEEN, Instant.now().plusSeconds(60), 10).await();
        assertThat(database.query("SELECT 1 FROM tasks WHERE status = 'unknown'")
                        .execute()
                        .await())
                .hasSize(1);
    }
}
