package ai.molecule.cli.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.net.Ports;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server a user gets without installing one. */
class EmbeddedPostgresTest {

    private static final String PASSWORD = "correct-horse";

    /** Unpacked once for all tests. */
    @TempDir
    static Path binaries;

    /** A cluster as the first start makes it: most of a test's time would go into that. */
    @TempDir
    static Path fresh;

    @TempDir
    Path temp;

    @BeforeAll
    static void make() throws IOException {
        startIn(fresh).close();
    }

    @Test
    void commits_are_durable_and_the_password_is_asked_for() throws Exception {
        try (var server = start()) {
            assertThat(query(server, PASSWORD, "SHOW fsync")).isEqualTo("on");
            assertThat(query(server, PASSWORD, "SHOW synchronous_commit")).isEqualTo("on");
            assertThat(query(server, PASSWORD, "SELECT current_database()")).isEqualTo(PostgresServer.DATABASE);
            assertThatThrownBy(() -> query(server, "wrong", "SELECT 1"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
            assertThatThrownBy(() -> query(server, null, "SELECT 1")).isInstanceOf(SQLException.class);
            assertThat(asSuperuser(server, "SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules"))
                    .isEqualTo("scram-sha-256");
            assertThat(asSuperuser(server, """
                            SELECT string_agg(DISTINCT split_part(rolpassword, ':', 1), ',') FROM pg_authid WHERE rolpassword IS NOT NULL""")).isEqualTo("SCRAM-SHA-256$1");
        }
    }

    @Test
    void the_platform_is_no_superuser() throws Exception {
        try (var server = start()) {
            assertThat(query(
                            server,
                            PASSWORD,
                            "SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user"))
                    .isEqualTo("f");
            assertThat(query(server, PASSWORD, """
                            SELECT string_agg(rolname, ' ' ORDER BY rolname) FROM pg_roles
                            WHERE rolname LIKE current_user || '_%' AND pg_has_role(current_user, oid, 'MEMBER') AND NOT rolcanlogin"""))
                    .isEqualTo("%1$s_events %1$s_provisioner %1$s_proxy %1$s_registry".formatted(PostgresServer.USER));
            assertThatThrownBy(() -> query(server, PASSWORD, "SELECT pg_read_file('/etc/passwd')"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
        }
    }

    @Test
    void what_the_platform_made_as_a_superuser_becomes_its_own() throws Exception {
        try (var server = start()) {
            asSuperuser(server, """
                    CREATE SCHEMA registry;
                    CREATE TABLE registry.kept (n bigint GENERATED ALWAYS AS IDENTITY, day date) PARTITION BY RANGE (day);
                    CREATE TABLE registry.kept_day PARTITION OF registry.kept DEFAULT;
                    CREATE SEQUENCE registry.numbers;
                    CREATE FUNCTION registry.one() RETURNS int LANGUAGE sql AS 'SELECT 1';
                    ALTER DATABASE %s OWNER TO %s
                    """.formatted(PostgresServer.DATABASE, PostgresServer.SUPERUSER));
        }

        try (var server = start()) {
            query(server, PASSWORD, """
                    ALTER TABLE registry.kept ADD COLUMN more text;
                    ALTER TABLE registry.kept_day ADD CHECK (n > 0);
                    ALTER SEQUENCE registry.numbers RESTART WITH 7;
                    CREATE OR REPLACE FUNCTION registry.one() RETURNS int LANGUAGE sql AS 'SELECT 2';
                    CREATE SCHEMA events
                    """);
            assertThat(query(server, PASSWORD, "SELECT registry.one()")).isEqualTo("2");
        }
    }

    @Test
    void what_was_committed_is_there_after_a_restart_and_after_a_kill() throws Exception {
        try (var server = start()) {
            query(server, PASSWORD, "CREATE TABLE kept AS SELECT 42 AS answer");
        }
        try (var server = start()) {
            assertThat(query(server, PASSWORD, "SELECT answer FROM kept")).isEqualTo("42");
            ProcessHandle.of(server.pid()).orElseThrow().destroyForcibly();
        }
        try (var server = start()) {
            assertThat(query(server, PASSWORD, "SELECT answer FROM kept")).isEqualTo("42");
        }
    }

    @Test
    void a_server_an_earlier_run_left_behind_is_replaced() throws Exception {
        var leftBehind = start();

        try (var server = start()) {
            assertThat(ProcessHandle.of(leftBehind.pid()).filter(ProcessHandle::isAlive))
                    .isEmpty();
            assertThat(query(server, PASSWORD, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void a_stale_process_id_file_is_no_obstacle() throws Exception {
        start().close();
        Files.writeString(
                temp.resolve("postgres/postmaster.pid"), ProcessHandle.current().pid() + "\n");

        try (var server = start()) {
            assertThat(query(server, PASSWORD, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void a_folder_of_another_major_version_is_refused_in_one_sentence() throws Exception {
        Files.createDirectory(temp.resolve("postgres"));
        Files.writeString(temp.resolve("postgres/PG_VERSION"), "15\n");

        assertThatThrownBy(() -> startIn(temp)).isInstanceOfSatisfying(LaunchFailure.class, e -> {
            assertThat(e.exitCode()).isEqualTo(2);
            assertThat(e.sentence()).contains("PostgreSQL 15", "PostgreSQL 18", "--data");
        });
    }

    @Test
    void in_a_folder_it_listens_at_no_port_and_lets_nobody_else_in() throws Exception {
        var sockets = temp.resolve("sockets");
        try (var server = start(sockets)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(sockets)))
                    .isEqualTo("rwx------");
            assertThatThrownBy(() -> query(server, PASSWORD, "SELECT 1"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08001"));
            assertThat(PostgresServer.urlOf(server.port(), PASSWORD, sockets)).isEqualTo(server.url());
            assertThat(PostgresServer.urlOf(server.port(), PASSWORD, temp)).doesNotContain("host=");
            assertThat(bySocket(server.url(), "SELECT inet_server_addr() IS NULL"))
                    .isEqualTo("t");
            assertThatThrownBy(() -> bySocket(server.url().replace(PASSWORD, "wrong"), "SELECT 1"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
            ProcessHandle.of(server.pid()).orElseThrow().destroyForcibly();
        }
        try (var server = start(sockets)) {
            assertThat(bySocket(server.url(), "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void both_clients_of_the_services_speak_to_it_there() throws Exception {
        String large = "x".repeat(3_000_000);
        try (var server = start(temp.resolve("sockets"))) {
            assertThat(bySocket(server.url(), "SELECT length('%s') || repeat('y', 3000000)".formatted(large)))
                    .startsWith("3000000yyy")
                    .hasSize(3_000_007);
            assertThatThrownBy(() -> bySocket(server.url() + "&socketTimeout=1", "SELECT pg_sleep(60)"))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).startsWith("08"));
            var vertx = Vertx.vertx();
            try {
                var pool = Postgres.pool(vertx, server.url(), "public");
                assertThat(pool.preparedQuery("SELECT length($1::text), inet_server_addr() IS NULL")
                                .execute(Tuple.of(large))
                                .map(rows -> rows.iterator().next())
                                .map(row -> row.getInteger(0) + " " + row.getBoolean(1))
                                .await())
                        .isEqualTo("3000000 true");
            } finally {
                vertx.close().await();
            }
        }
    }

    @Test
    void a_folder_whose_path_is_too_long_for_a_socket_is_known_as_one() {
        assertThat(PostgresServer.takes(Path.of("/var/lib/molecule/postgres-sockets")))
                .isTrue();
        assertThat(PostgresServer.takes(Path.of("/" + "x".repeat(100)))).isFalse();
    }

    private static String bySocket(String url, String sql) throws SQLException {
        try (Connection connection = Postgres.connect(url);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    @Test
    void a_lost_password_is_named_as_the_reason() throws Exception {
        start().close();

        assertThatThrownBy(() -> PostgresServer.start(
                        new ServerBinaries(binaries),
                        temp.resolve("postgres"),
                        Ports.free(),
                        "another",
                        temp.resolve("postgres.log")))
                .isInstanceOfSatisfying(
                        LaunchFailure.class, e -> assertThat(e.sentence()).contains("postgres-password"));
    }

    private PostgresServer start() throws IOException, InterruptedException {
        return start(null);
    }

    private PostgresServer start(@Nullable Path sockets) throws IOException, InterruptedException {
        if (!Files.exists(temp.resolve("postgres"))) {
            // with owners and rights: as root the server is another user, who must reach its folder
            Files.setPosixFilePermissions(temp, Files.getPosixFilePermissions(fresh));
            var copy = new ProcessBuilder("cp", "-a", fresh.resolve("postgres").toString(), temp.toString());
            assertThat(copy.start().waitFor()).isZero();
        }
        return startIn(temp, sockets);
    }

    private static PostgresServer startIn(Path folder) throws IOException {
        return startIn(folder, null);
    }

    private static PostgresServer startIn(Path folder, @Nullable Path sockets) throws IOException {
        return PostgresServer.start(
                new ServerBinaries(binaries),
                folder.resolve("postgres"),
                Ports.free(),
                PASSWORD,
                folder.resolve("postgres.log"),
                sockets);
    }

    private static String query(PostgresServer server, @Nullable String password, String sql) throws SQLException {
        return query(server, PostgresServer.USER, password, sql);
    }

    private static String asSuperuser(PostgresServer server, String sql) throws SQLException {
        return query(server, PostgresServer.SUPERUSER, PASSWORD, sql);
    }

    private static String query(PostgresServer server, String user, @Nullable String password, String sql)
            throws SQLException {
        String url = "jdbc:postgresql://127.0.0.1:%d/%s".formatted(server.port(), PostgresServer.DATABASE);
        try (Connection connection = DriverManager.getConnection(url, user, password);
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
