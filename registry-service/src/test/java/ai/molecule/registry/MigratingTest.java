package ai.molecule.registry;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Bringing a database to the newest schema. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class MigratingTest {

    private static final int REPLICAS = 4;

    private final String database = TestStores.emptyDatabase();

    @Test
    void replicas_that_boot_at_once_on_an_empty_database_do_not_clash(Vertx vertx) {
        var booted = Future.join(IntStream.range(0, REPLICAS)
                        .mapToObj(replica -> Postgres.migrate(vertx, database, "log")
                                .compose(logReady -> Postgres.migrate(vertx, database, "registry")))
                        .toList())
                .await();

        assertThat(booted.succeeded()).isTrue();
        assertThat(history(vertx)).isNotEmpty().doesNotHaveDuplicates().allMatch(step -> step.endsWith(" true"));
    }

    @Test
    void a_second_boot_changes_nothing(Vertx vertx) {
        Postgres.migrate(vertx, database, "log").await(); // as every service does first
        Postgres.migrate(vertx, database, "registry").await();
        var before = history(vertx);

        Postgres.migrate(vertx, database, "registry").await();

        assertThat(history(vertx)).isEqualTo(before);
    }

    /** Version and success of every step, in order. */
    private List<String> history(Vertx vertx) {
        var pool = Postgres.pool(vertx, database, "registry");
        return pool
                .query(
                        "SELECT version, success FROM flyway_schema_history WHERE version IS NOT NULL ORDER BY installed_rank")
                .execute()
                .await()
                .stream()
                .map(MigratingTest::step)
                .toList();
    }

    private static String step(Row row) {
        return row.getString("version") + " " + row.getBoolean("success");
    }
}
