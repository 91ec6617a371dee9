package ai.molecule.common.db;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.testing.Cable;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.PoolOptions;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A database that does not refuse and does not answer: its host is gone, or a firewall drops what is sent. */
@ExtendWith(VertxExtension.class)
class FallingSilentDatabaseTest {

    @Test
    void a_statement_on_a_connection_that_hears_nothing_fails_and_the_next_one_connects_anew(Vertx vertx) {
        var database = URI.create(TestStores.freshDatabase());
        var cable = new Cable(vertx, database);
        var connect = Postgres.connectOptions(database.toString(), "public").setPort(cable.port());
        var pool = Postgres.pool(vertx, connect, new PoolOptions().setMaxSize(1), 2);
        pool.query("SELECT 1").execute().await();

        cable.silence();
        var lost = pool.query("SELECT 1").execute().timeout(60, TimeUnit.SECONDS);
        assertThatThrownBy(lost::await)
                .satisfies(
                        failure -> assertThat(Postgres.isUnavailable(failure)).isTrue())
                .isNotInstanceOf(TimeoutException.class);

        cable.join();
        // the pool may hear of the end a moment after whoever waited
        await().until(() -> pool.query("SELECT 1")
                .execute()
                .map(rows -> rows.size() == 1)
                .otherwise(false)
                .await());
        pool.close().await();
    }

    @Test
    void whoever_gets_no_connection_in_time_finds_it_unavailable(Vertx vertx) {
        var connect = Postgres.connectOptions(TestStores.freshDatabase(), "public");
        var options = new PoolOptions().setMaxSize(1).setConnectionTimeout(100).setConnectionTimeoutUnit(MILLISECONDS);
        var pool = Postgres.pool(vertx, connect, options, 60);
        var held = pool.getConnection().await();

        List<Supplier<Future<?>>> askers = List.of(
                () -> pool.query("SELECT 1").execute(),
                pool::getConnection,
                () -> pool.withTransaction(
                        connection -> connection.query("SELECT 1").execute()));
        for (var asker : askers) {
            assertThatThrownBy(() -> asker.get().await())
                    .satisfies(failure ->
                            assertThat(Postgres.isUnavailable(failure)).isTrue());
        }
        held.close().await();
        pool.close().await();
    }

    @Test
    void what_has_nothing_to_do_with_the_database_is_not_its_absence() {
        assertThat(Postgres.isUnavailable(new ConnectException("refused"))).isTrue();
        assertThat(Postgres.isUnavailable(new IOException("Connection reset by peer")))
                .isTrue();
        assertThat(Postgres.isUnavailable(new IOException("deleting ended with 1")))
                .isFalse();
        assertThat(Postgres.isUnavailable(new NoSuchFileException("template"))).isFalse();
        assertThat(Postgres.isUnavailable(new EOFException())).isFalse();
    }
}
