package ai.molecule.proxy.known;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An agent that asks what became of a message is told only of its own. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class WhoseTasksAreTest {

    @Test
    void the_other_tasks_of_a_workspace_are_not_read_for_one_message(Vertx vertx) {
        var database = Postgres.pool(vertx, TestStores.freshDatabase(), "proxy");
        String workspace = UUID.randomUUID().toString();
        database.query("""
                        INSERT INTO tasks (id, owner, workspace_id, message_id, preview, status, started_at, ended_at)
                        SELECT gen_random_uuid(), gen_random_uuid(), '%s', n::text, '', 'ok', now(), now()
                        FROM generate_series(1, 20000) AS n
                        """.formatted(workspace)).execute().await();
        database.query("ANALYZE tasks").execute().await();

        var plan = database.query("EXPLAIN "
                        + PgKnownTasks.OF_ANOTHER
                                .replace("$1", "'" + workspace + "'")
                                .replace("$2", "'" + UUID.randomUUID() + "'")
                                .replace("$3", "NULL")
                                .replace("$4", "'7'"))
                .execute()
                .await();

        assertThat(StreamSupport.stream(plan.spliterator(), false)
                        .map(row -> row.getString(0))
                        .collect(Collectors.joining("\n")))
                .contains("tasks_of_message");
    }
}
