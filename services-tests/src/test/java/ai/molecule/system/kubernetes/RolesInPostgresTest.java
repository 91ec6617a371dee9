package ai.molecule.system.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.net.Ports;
import io.vertx.core.Vertx;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docker/postgres-roles.sql}, run on a server as the image runs it, and who mounts it in {@code docker-compose.yml}. */
class RolesInPostgresTest {

    private static final String PASSWORD = "it's one";
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
        } catch (Exception failure) {
            throw new AssertionError(failure);
        } finally {
            vertx.close().await();
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
