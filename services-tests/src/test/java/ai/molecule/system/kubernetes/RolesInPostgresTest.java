package ai.molecule.system.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.db.Database;
import ai.molecule.common.db.Postgres;
import ai.molecule.common.net.Ports;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docker/postgres-roles.sql}, run on a server as the image runs it, and who mounts it in {@code docker-compose.yml}. */
class RolesInPostgresTest {

    private static final String PASSWORD = "it's one";
    private static final List<String> SERVICES = List.of("registry", "proxy", "events", "provisioner");
    private static final Pattern COMMENT = Pattern.compile("(?m)^--.*$");

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedPostgres server;

    @BeforeAll
    static void make() throws IOException, SQLException {
        server = EmbeddedPostgres.builder().setPort(Ports.free()).start();
        // what psql makes of it
        String script = COMMENT.matcher(Files.readString(RoleChecks.SCRIPT))
                .replaceAll("")
                .replace("\\getenv password POSTGRES_PASSWORD\n", "")
                .replace(":'password'", "'" + PASSWORD.replace("'", "''") + "'");
        try (var connection = as("postgres", "postgres");
                var statement = connection.createStatement()) {
            for (String sql : script.split(";")) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
        }
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    @Test
    void the_platform_is_no_superuser_and_owns_its_database() throws SQLException {
        assertThat(asked("""
                SELECT rolcanlogin, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
                    (SELECT pg_get_userbyid(datdba) = current_user FROM pg_database WHERE datname = current_database())
                FROM pg_roles WHERE rolname = current_user""")).containsExactly("t", "f", "f", "f", "f", "f", "t");
        assertThatThrownBy(() -> asked("SELECT pg_read_file('/etc/passwd')")).hasMessageContaining("permission denied");
        assertThatThrownBy(() -> asked("COPY (SELECT 1) TO PROGRAM 'true'")).hasMessageContaining("permission denied");
    }

    @Test
    void the_services_make_their_schemas_as_that_role() {
        var vertx = Vertx.vertx();
        try {
            String url = "postgresql://molecule:unasked@127.0.0.1:%d/molecule".formatted(server.getPort());
            for (String schema : List.of("log", "registry", "proxy", "events", "provisioner")) {
                Postgres.migrate(vertx, url, schema).await(120, TimeUnit.SECONDS);
            }
            assertThat(asked("SELECT count(*) > 20 FROM pg_tables WHERE tableowner = current_user"))
                    .containsExactly("t");
            for (String service : SERVICES) {
                assertThat(Postgres.asService(vertx, url, service).await(120, TimeUnit.SECONDS))
                        .isEqualTo(url + "?role=molecule_" + service);
                reachesItsOwnTablesAndNoOthers(service);
                var database = new Database(vertx, url + "?role=molecule_" + service, service, () -> {});
                assertThat(database.get("SELECT current_user::text", Tuple.tuple(), row -> row.getString(0))
                                .await(60, TimeUnit.SECONDS))
                        .isEqualTo("molecule_" + service);
                database.close().await(60, TimeUnit.SECONDS);
            }
        } catch (Exception failure) {
            throw new AssertionError(failure);
        } finally {
            vertx.close().await();
        }
    }

    private static void reachesItsOwnTablesAndNoOthers(String service) throws SQLException {
        try (var connection = as("molecule", "molecule");
                var statement = connection.createStatement()) {
            statement.execute("SET ROLE molecule_" + service);
            var reached = new TreeSet<String>();
            try (var rows = statement.executeQuery("""
                    SELECT DISTINCT schemaname FROM pg_tables
                    WHERE schemaname IN ('log', 'registry', 'proxy', 'events', 'provisioner')
                      AND has_schema_privilege(schemaname, 'USAGE')
                      AND has_table_privilege(quote_ident(schemaname) || '.' || quote_ident(tablename), 'SELECT')
                    """)) {
                while (rows.next()) {
                    reached.add(rows.getString(1));
                }
            }
            assertThat(reached).containsExactlyInAnyOrder("log", service);
            statement.execute("SELECT log.append('TRIED', NULL, '{}')");
            for (String other : SERVICES) {
                if (!other.equals(service)) {
                    assertThatThrownBy(
                                    () -> statement.execute("SELECT 1 FROM %s.flyway_schema_history".formatted(other)))
                            .hasMessageContaining("permission denied for schema " + other);
                }
            }
            if (!service.equals("events")) {
                for (String kept : List.of("events", "activity", "activity_bodies")) {
                    assertThatThrownBy(() -> statement.execute("SELECT 1 FROM log." + kept))
                            .hasMessageContaining("permission denied for table " + kept);
                }
            }
        }
    }

    @Test
    void the_secret_opens_the_platforms_role_and_not_the_superuser() throws SQLException {
        try (var connection = as("postgres", "postgres");
                var statement = connection.createStatement();
                var rows = statement.executeQuery("""
                        SELECT string_agg(rolname, ',') FROM pg_authid WHERE rolcanlogin AND rolpassword IS NOT NULL""")) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getString(1)).isEqualTo("molecule");
        }
    }

    @Test
    void compose_runs_it_and_its_superuser_is_not_whom_the_secrets_name(@TempDir Path secrets) throws Exception {
        var made = new ProcessBuilder(
                        Manifests.ROOT.resolve("docker/make-secrets").toString(), secrets.toString())
                .inheritIO()
                .start();
        assertThat(made.waitFor(60, TimeUnit.SECONDS)).isTrue();
        String url = Files.readString(secrets.resolve("database_url")).strip();

        var postgres = Kustomization.documents(Manifests.ROOT.resolve("docker-compose.yml"))
                .getFirst()
                .at("/services/postgres");

        assertThat(postgres.at("/environment/POSTGRES_USER").asText(RoleChecks.SUPERUSER_DEFAULT))
                .isNotEmpty()
                .isNotEqualTo(RoleChecks.userOf(url));
        assertThat(postgres.at("/volumes").toString())
                .contains("\"./docker/postgres-roles.sql:%s/roles.sql:ro\"".formatted(RoleChecks.SCRIPTS_FOLDER));
    }

    /** The one row, each column as text. */
    private static List<String> asked(String sql) throws SQLException {
        try (var connection = as("molecule", "molecule");
                var statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return List.of();
            }
            try (var rows = statement.getResultSet()) {
                assertThat(rows.next()).isTrue();
                var columns = new String[rows.getMetaData().getColumnCount()];
                for (int i = 0; i < columns.length; i++) {
                    columns[i] = rows.getString(i + 1);
                }
                return List.of(columns);
            }
        }
    }

    /** By the server's rule for tests, which asks nobody for a password. */
    private static Connection as(String user, String database) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:%d/%s".formatted(server.getPort(), database), user, "unasked");
    }
}
