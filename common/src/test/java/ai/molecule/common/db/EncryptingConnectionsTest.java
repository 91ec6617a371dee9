package ai.molecule.common.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.cluster.NewCertificate;
import ai.molecule.common.config.DatabaseUrl;
import ai.molecule.common.config.Env;
import ai.molecule.common.testing.TestStores;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS to a PostgreSQL whose certificate is for {@code localhost}; JDBC and the reactive client agree about each mode. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class EncryptingConnectionsTest {

    private static final String ENCRYPTED = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";

    @TempDir
    private static Path folder;

    private static EmbeddedPostgres server;
    private static Path authority;
    private static Path another;

    @BeforeAll
    static void serve() throws IOException {
        var certificate = NewCertificate.make(folder, "postgres", "localhost", 2);
        authority = Files.writeString(folder.resolve("authority with a space.pem"), certificate.authorities());
        another = Files.writeString(
                folder.resolve("another.pem"),
                NewCertificate.make(folder, "another", "localhost", 2).authorities());
        Path key = Files.writeString(folder.resolve("server.key"), certificate.key());
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Path chain = Files.writeString(folder.resolve("server.crt"), certificate.chain());
        server = EmbeddedPostgres.builder()
                .setPGStartupWait(Duration.ofMinutes(2))
                .setServerConfig("ssl", "on")
                .setServerConfig("ssl_cert_file", chain.toString())
                .setServerConfig("ssl_key_file", key.toString())
                .start();
    }

    @AfterAll
    static void end() throws IOException {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"prefer", "require"})
    void a_server_with_tls_is_asked_for_it_whoever_signed_its_certificate(String mode, Vertx vertx)
            throws SQLException {
        assertEncrypted(vertx, url("127.0.0.1") + "?sslmode=" + mode, true);
    }

    @Test
    void a_database_that_migrations_reach_encrypted_is_reached_so_by_statements(Vertx vertx) {
        String url = withAuthority("localhost", authority);

        Postgres.migrate(vertx, url, "log").await();

        var pool = Postgres.pool(vertx, url, "log");
        assertThat(pool.query("SELECT count(*) FROM events").execute().await()).hasSize(1);
        pool.close().await();
    }

    @Test
    void the_certificates_authority_and_name_are_verified(Vertx vertx) throws SQLException {
        assertEncrypted(vertx, withAuthority("localhost", authority), true);
        assertEncrypted(
                vertx,
                url("localhost") + "?sslmode=verify-full&sslrootcert="
                        + authority.toString().replace(" ", "%20"),
                true);
    }

    @Test
    void another_name_is_refused_unless_only_the_authority_counts(Vertx vertx) throws SQLException {
        assertRefused(vertx, withAuthority("127.0.0.1", authority));
        assertEncrypted(vertx, withAuthority("127.0.0.1", authority, "?sslmode=verify-ca"), true);
        assertEncrypted(vertx, withAuthority("127.0.0.1", authority, "?sslmode=require"), true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?sslmode=require", "?sslmode=verify-ca", "?sslmode=verify-full"})
    void another_authority_is_refused(String mode, Vertx vertx) {
        assertRefused(vertx, withAuthority("localhost", another, mode));
    }

    @ParameterizedTest
    @ValueSource(strings = {"verify-ca", "verify-full"})
    void without_a_file_those_count_that_the_runtime_trusts(String mode, Vertx vertx) {
        assertRefused(vertx, url("localhost") + "?sslmode=" + mode);
    }

    @Test
    void nothing_is_encrypted_where_nobody_asks_and_the_server_is_on_this_machine(Vertx vertx) throws SQLException {
        assertEncrypted(vertx, url("127.0.0.1"), false);
        assertEncrypted(vertx, url("127.0.0.1") + "?sslmode=disable", false);
    }

    @Test
    void a_server_without_tls_is_taken_by_prefer_and_refused_by_require(Vertx vertx) throws SQLException {
        String plain = TestStores.emptyDatabase();

        assertEncrypted(vertx, plain + "?sslmode=prefer", false);
        assertRefused(vertx, plain + "?sslmode=require");
    }

    @Test
    void elsewhere_tls_is_used_where_the_server_has_it() {
        assertThat(Encryption.of("postgresql://u:p@database:5432/molecule").maySilentlyBePlain())
                .isTrue();
        assertThat(Encryption.of("postgresql://u:p@database/molecule?sslmode=require")
                        .maySilentlyBePlain())
                .isFalse();
    }

    @Test
    void what_is_no_mode_and_no_file_of_certificates_is_said() throws IOException {
        assertThatThrownBy(() -> Encryption.of("postgresql://u:p@database/molecule?sslmode=always"))
                .hasMessageContaining("sslmode of DATABASE_URL must be");
        Path empty = Files.writeString(folder.resolve("empty.pem"), "");
        for (Path wrong : new Path[] {folder.resolve("none.pem"), empty}) {
            assertThatThrownBy(() -> withAuthority("localhost", wrong)).hasMessageContaining("DATABASE_CA_FILE");
        }
    }

    private static String url(String host) {
        return "postgresql://postgres:postgres@%s:%d/postgres".formatted(host, server.getPort());
    }

    private static String withAuthority(String host, Path file) {
        return withAuthority(host, file, "");
    }

    private static String withAuthority(String host, Path file, String query) {
        Map<String, String> variables = new HashMap<>();
        variables.put("DATABASE_URL", url(host) + query);
        variables.put("DATABASE_CA_FILE", file.toString());
        return String.valueOf(DatabaseUrl.find(new Env(variables)));
    }

    private static void assertEncrypted(Vertx vertx, String url, boolean encrypted) throws SQLException {
        try (var connection = Postgres.connect(url);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(ENCRYPTED)) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getBoolean(1)).as("JDBC").isEqualTo(encrypted);
        }
        var pool = Postgres.pool(vertx, url, "public");
        assertThat(pool.query(ENCRYPTED).execute().await().iterator().next().getBoolean(0))
                .as("pool")
                .isEqualTo(encrypted);
        pool.close().await();
    }

    private static void assertRefused(Vertx vertx, String url) {
        assertThatThrownBy(() -> Postgres.connect(url).close())
                .as("JDBC to " + URI.create(url).getQuery())
                .isInstanceOf(SQLException.class);
        var pool = Postgres.pool(vertx, url, "public");
        assertThatThrownBy(() -> pool.query("SELECT 1")
                        .execute()
                        .timeout(60, TimeUnit.SECONDS)
                        .await())
                .as("pool to " + URI.create(url).getQuery())
                .isNotInstanceOf(NullPointerException.class)
                .isNotInstanceOf(java.util.concurrent.TimeoutException.class);
        pool.close().await();
    }
}
