package ai.molecule.cli.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.process.OutageNotice;
import ai.molecule.cli.process.RestartPolicy;
import ai.molecule.common.net.Ports;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that dies while the platform runs. */
class KeepingServersTest {

    private static final RestartPolicy AT_ONCE =
            new RestartPolicy(Duration.ofMillis(20), Duration.ofMillis(200), Duration.ofMinutes(1));

    private final List<String> said = new CopyOnWriteArrayList<>();

    @TempDir
    static Path binaries;

    @TempDir
    Path temp;

    @Test
    void a_killed_postgres_comes_back_on_its_port_with_everything_that_was_committed() throws Exception {
        int port = Ports.free();
        var told = new AtomicInteger();
        try (var kept = new KeptServer(
                "postgres", () -> postgres(port), AT_ONCE, notice("postgres", AT_ONCE), told::incrementAndGet)) {
            long killed = kept.server().pid();
            query(kept, "CREATE TABLE kept AS SELECT 42 AS answer");

            kept.server().process().destroyForcibly();

            await().until(() -> told.get() > 0);
            assertThat(kept.server().pid()).isNotEqualTo(killed);
            assertThat(kept.server().port()).isEqualTo(port);
            assertThat(query(kept, "SELECT answer FROM kept")).isEqualTo("42");
            kept.close();
            kept.server().close();
        }
    }

    @Test
    void a_killed_redis_comes_back_too() throws Exception {
        int port = Ports.free();
        var told = new AtomicInteger();
        try (var kept =
                new KeptServer("redis", () -> redis(port), AT_ONCE, notice("redis", AT_ONCE), told::incrementAndGet)) {
            long killed = kept.server().pid();

            kept.server().process().destroyForcibly();

            await().until(() -> told.get() > 0);
            assertThat(kept.server().pid()).isNotEqualTo(killed);
            kept.close();
            kept.server().close();
        }
    }

    /** As with a disk that is full for long. */
    @Test
    void what_cannot_be_started_for_long_is_tried_until_it_runs_and_both_is_said_once() throws Exception {
        int outage = 30;
        var tries = new AtomicInteger();
        var brief = new RestartPolicy(Duration.ofMillis(1), Duration.ofMillis(1), Duration.ofMillis(500));
        int port = Ports.free();
        try (var kept = new KeptServer(
                "redis",
                () -> {
                    int tried = tries.getAndIncrement();
                    if (tried == 0 || tried > outage) {
                        return redis(port);
                    }
                    if (tried == 1) {
                        throw new IllegalStateException("broken");
                    }
                    throw new IOException("refused");
                },
                brief,
                notice("redis", brief),
                () -> {})) {

            kept.server().process().destroyForcibly();

            await().until(() -> said.size() == 2);
            assertThat(said.getFirst()).startsWith("redis has ended 3 times in a row.");
            assertThat(said.getLast()).isEqualTo("redis runs again.");
            assertThat(kept.server().process().isAlive()).isTrue();
            kept.close();
            kept.server().close();
        }
    }

    private OutageNotice notice(String name, RestartPolicy policy) {
        return new OutageNotice(name, temp.resolve(name + ".log"), policy, said::add);
    }

    private EmbeddedServer postgres(int port) throws IOException {
        return PostgresServer.start(
                new ServerBinaries(binaries), temp.resolve("postgres"), port, "secret", temp.resolve("postgres.log"));
    }

    private EmbeddedServer redis(int port) throws IOException {
        return RedisServer.start(
                new ServerBinaries(binaries), temp.resolve("redis"), port, "secret", temp.resolve("redis.log"));
    }

    private static String query(KeptServer kept, String sql) throws SQLException {
        String url = "jdbc:postgresql://127.0.0.1:%d/molecule"
                .formatted(kept.server().port());
        try (var connection = DriverManager.getConnection(url, PostgresServer.USER, "secret");
                var statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return "";
            }
            try (var rows = statement.getResultSet()) {
                rows.next();
                return rows.getString(1);
            }
        }
    }
}
