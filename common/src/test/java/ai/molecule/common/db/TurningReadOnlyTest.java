package ai.molecule.common.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A failover after which the address of the database leads to a server for some seconds that takes no changes. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class TurningReadOnlyTest {

    private static final String WRITE = "UPDATE log.position SET last_seq = last_seq";

    private String url;
    private Database database;
    private Session session;

    @BeforeEach
    void open(Vertx vertx) {
        url = TestStores.freshDatabase();
        database = new Database(vertx, url, "log", () -> {});
        session = database.session();
        everybody(() -> database.query("SELECT pg_sleep(0.01)")).await();
    }

    @AfterEach
    void close() {
        session.close().await();
        database.close().await();
        TestStores.drop(url);
    }

    @Test
    void what_is_written_meanwhile_is_unavailable_and_goes_on_afterwards_although_every_connection_is_busy()
            throws SQLException {
        readOnly(true);

        assertUnavailable(() -> database.query(WRITE));
        assertUnavailable(() -> session.query(WRITE));
        assertUnavailable(() -> database.transaction(transaction -> transaction.query(WRITE)));
        assertUnavailable(() -> Postgres.writable(database));

        readOnly(false);
        // nobody ends these connections, and none is idle for long
        await().untilAsserted(() -> everybody(() -> database.query(WRITE)).await());
        await().untilAsserted(() -> session.query(WRITE).await());
        assertThat(Postgres.writable(database)
                        .timeout(60, TimeUnit.SECONDS)
                        .map(true)
                        .await())
                .isTrue();
    }

    @Test
    void a_connection_is_not_kept_for_ever() {
        assertThat(Postgres.options(10, 10).getMaxLifetime()).isBetween(1, 300);
    }

    @Test
    void the_server_gives_up_a_client_that_vanished(Vertx vertx) {
        for (var setting : Map.of(
                        "tcp_keepalives_idle", "10",
                        "tcp_keepalives_interval", "5",
                        "tcp_keepalives_count", "3",
                        "tcp_user_timeout", "20000")
                .entrySet()) {
            assertThat(show(database, setting.getKey())).isEqualTo(setting.getValue());
        }
        // what a session locks must not stay locked for longer than its holder may pause
        assertThat(show(session, "tcp_keepalives_idle")).isEqualTo("3");
        assertThat(show(session, "tcp_user_timeout")).isEqualTo("20000");
        var owners = Postgres.ownersPool(vertx, url, "log");
        assertThat(show(Sql.of(owners), "tcp_keepalives_count")).isEqualTo("3");
        owners.close().await();
    }

    private static String show(Sql sql, String setting) {
        return sql.get("SELECT current_setting($1)", Tuple.of(setting), row -> row.getString(0))
                .await();
    }

    /** As many at once as the pool has connections. */
    private static Future<?> everybody(Supplier<Future<?>> work) {
        return Future.all(IntStream.range(0, 10).mapToObj(i -> work.get()).toList());
    }

    private static void assertUnavailable(Supplier<Future<?>> write) {
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> write.get().timeout(60, TimeUnit.SECONDS).await())
                    .isNotInstanceOf(TimeoutException.class)
                    .satisfies(refused -> assertThat(Postgres.outage(refused))
                            .as(refused.toString())
                            .hasValueSatisfying(
                                    error -> assertThat(error.kind()).isEqualTo(ApiError.Kind.UNAVAILABLE)));
        }
    }

    private void readOnly(boolean on) throws SQLException {
        String name = url.substring(url.lastIndexOf('/') + 1);
        try (var connection = Postgres.connect(url.replace("/" + name, "/postgres"));
                var statement = connection.createStatement()) {
            statement.execute("ALTER DATABASE " + name
                    + (on ? " SET default_transaction_read_only = on" : " RESET default_transaction_read_only"));
            if (on) {
                statement.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'");
            }
        }
    }
}
