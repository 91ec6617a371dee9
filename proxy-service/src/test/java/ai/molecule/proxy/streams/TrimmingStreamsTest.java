package ai.molecule.proxy.streams;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.db.Database;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Pool;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What streams hold is looked at every ten seconds, on every replica. */
@Tag("stores")
@ExtendWith(VertxExtension.class)
class TrimmingStreamsTest {

    private static final int EVENTS_MAX = 3;

    @SuppressWarnings("NullAway.Init")
    private Database database;

    @SuppressWarnings("NullAway.Init")
    private Pool pool;

    @BeforeEach
    void open(Vertx vertx) {
        database = new Database(vertx, TestStores.freshDatabase(), "proxy", () -> {});
        pool = database.pool();
    }

    @Test
    void streams_that_ended_before_are_not_read_for_it() {
        streams(20_000, "now() - interval '30 minutes'", 1);
        streams(5, "NULL", 1);
        run("ANALYZE streams, stream_events");

        var plan = pool.query("EXPLAIN "
                        + PgStreamStore.TRIM
                                .replace("$1", "10000")
                                .replace("$2", "1000000")
                                .replace("$3", "20"))
                .execute()
                .await();

        assertThat(StreamSupport.stream(plan.spliterator(), false)
                        .map(row -> row.getString(0))
                        .collect(Collectors.joining("\n")))
                .contains("streams_open", "streams_ended")
                .doesNotContain("Seq Scan on streams");
    }

    @Test
    void open_ones_and_those_that_ended_a_moment_ago_hold_the_newest_events() {
        streams(1, "NULL", 5);
        streams(1, "now() - interval '1 minute'", 5);
        var store = new PgStreamStore(database);

        assertThat(store.trim(EVENTS_MAX, 1_000_000, 20).await()).isEqualTo(2);

        assertThat(pool.query("SELECT string_agg(n::text, ',' ORDER BY n) FROM stream_events GROUP BY stream_id")
                        .execute()
                        .await())
                .extracting(row -> row.getString(0))
                .containsExactly("3,4,5", "3,4,5");
        assertThat(store.trim(EVENTS_MAX, 1_000_000, 20).await()).isZero();
    }

    private void streams(int count, String ended, int events) {
        run("""
                WITH fresh AS (
                    INSERT INTO streams (id, owner, workspace_id, version, method, rpc_id, request, duration_ms, last_n, bytes, ended_at)
                    SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '0.3', 'message/stream', '1', '', 1, %3$d, %3$d, %2$s
                    FROM generate_series(1, %1$d) RETURNING id
                )
                INSERT INTO stream_events (stream_id, n, body) SELECT id, n, 'x' FROM fresh, generate_series(1, %3$d) AS n
                """.formatted(count, ended, events));
    }

    private void run(String statement) {
        pool.query(statement).execute().await();
    }
}
