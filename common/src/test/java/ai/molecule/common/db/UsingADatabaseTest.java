package ai.molecule.common.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.events.EventLog;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestStores;
import ai.molecule.testkit.Kept;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetSocket;
import io.vertx.junit5.VertxExtension;
import io.vertx.sqlclient.Tuple;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The one way to PostgreSQL. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
@Tag("stores")
class UsingADatabaseTest {

    private final AtomicInteger pokes = new AtomicInteger();
    private String url;
    private Database database;

    @BeforeEach
    void open(Vertx vertx) {
        url = TestStores.freshDatabase();
        Postgres.migrate(vertx, url, "log").await();
        database = new Database(vertx, url, "log", pokes::incrementAndGet);
    }

    @AfterEach
    void close() {
        database.close().await();
    }

    @Test
    void the_sequencer_is_poked_once_after_a_commit_that_shows_new_events() {
        var seen = new ArrayList<Integer>();

        database.transaction(transaction -> append(transaction)
                        .compose(first -> append(transaction))
                        .onSuccess(appended -> seen.add(pokes.get())))
                .await();

        assertThat(seen).containsExactly(0);
        assertThat(pokes).hasValue(1);
        assertThat(events()).isEqualTo(2);
    }

    @Test
    void a_statement_alone_and_a_session_poke_too_and_what_appends_nothing_does_not() {
        append(database).await();
        assertThat(pokes).hasValue(1);
        var session = database.session();
        append(session).await();
        session.transaction(UsingADatabaseTest::append).await();
        assertThat(pokes).hasValue(3);

        database.transaction(transaction -> transaction.query("SELECT 1")).await();
        session.query("SELECT 1").await();
        session.close().await();

        assertThat(pokes).hasValue(3);
    }

    @Test
    void work_that_fails_leaves_nothing_and_pokes_nobody() {
        assertThatThrownBy(() -> database.transaction(
                                transaction -> append(transaction).compose(appended -> Future.failedFuture("no")))
                        .await())
                .hasMessage("no");

        assertThat(events()).isZero();
        assertThat(pokes).hasValue(0);
    }

    @Test
    void rows_are_read_as_what_they_mean() {
        var three = "SELECT generate_series(1, $1) AS n ORDER BY n";

        assertThat(database.list(three, Tuple.of(3), row -> row.getInteger("n")).await())
                .containsExactly(1, 2, 3);
        assertThat(database.find(three, Tuple.of(0), row -> row.getInteger("n")).await())
                .isEqualTo(Optional.empty());
        assertThat(database.changes("UPDATE log.position SET last_seq = last_seq", Tuple.tuple())
                        .await())
                .isTrue();
    }

    @Test
    void a_session_whose_connection_ended_says_so_and_has_another_for_the_next_call(Vertx vertx) {
        List<NetSocket> sockets = new CopyOnWriteArrayList<>();
        var port = URI.create(url).getPort();
        var between = vertx.createNetServer()
                .connectHandler(client -> {
                    sockets.add(client.pause());
                    Kept.kept(vertx.createNetClient())
                            .connect(port, "127.0.0.1")
                            .onSuccess(server -> {
                                client.pipe().to(server);
                                server.pipe().to(client);
                            });
                })
                .listen(0, "127.0.0.1")
                .await();
        var session = new Session(
                vertx,
                Postgres.connectOptions(url, "log").setPort(between.actualPort()),
                Session.STATEMENT_MAX,
                pokes::incrementAndGet);
        session.query("SELECT 1").await();

        sockets.getFirst().close().await();

        await().until(() -> session.losses() == 1);
        assertThat(session.query("SELECT 1").await()).hasSize(1);
        session.close().await();
        assertThatThrownBy(() -> session.query("SELECT 1").await())
                .satisfies(closed -> assertThat(Postgres.isUnavailable(closed)).isTrue());
    }

    private static Future<Void> append(Sql sql) {
        return EventLog.append(sql, "TESTED", null, Json.object());
    }

    private long events() {
        return database.get("SELECT count(*) FROM log.events", Tuple.tuple(), row -> row.getLong(0))
                .await();
    }
}
