package ai.molecule.common.testing;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.net.Ports;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One PostgreSQL and one Redis for all tests of a JVM, started when first asked for and stopped with the JVM: as child processes, or with
 * {@code -Dtests.servers=containers} in containers.
 */
public final class TestStores {

    private static final boolean CONTAINERS = "containers".equals(System.getProperty("tests.servers"));
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private TestStores() {}

    /**
     * The URL of a new database with every schema whose migrations this JVM has, and nothing in them. A copy: going through all the
     * migrations takes many times as long, and most tests begin with a database of their own. Its files are copied as they are: 20 ms in
     * memory, where writing each page into the log as well takes 50.
     */
    public static String freshDatabase() {
        requireServers();
        return create(" TEMPLATE " + Template.NAME + " STRATEGY FILE_COPY");
    }

    /** The URL of a new database without any schema, for whoever tests how one comes about. */
    public static String emptyDatabase() {
        requireServers();
        return create("");
    }

    private static String create(String how) {
        String name = "test_" + DATABASES.incrementAndGet();
        execute("CREATE DATABASE " + name + how);
        return url(name);
    }

    private static String url(String name) {
        return "postgresql://postgres:postgres@127.0.0.1:%d/%s".formatted(PostgresHolder.PORT, name);
    }

    /**
     * Ends its connections and takes it away, for whoever makes one a test: each is some 8 MB.
     *
     * @param url of {@link #freshDatabase}
     */
    public static void drop(String url) {
        execute("DROP DATABASE IF EXISTS %s WITH (FORCE)".formatted(url.substring(url.lastIndexOf('/') + 1)));
    }

    private static void execute(String statement) {
        String server = "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(PostgresHolder.PORT);
        try (var connection = DriverManager.getConnection(server, "postgres", "postgres");
                var plain = connection.createStatement()) {
            plain.execute(statement);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** The URL of this JVM's Redis; keys of other tests may be in it. */
    public static String redisUrl() {
        requireServers();
        return "redis://127.0.0.1:" + RedisHolder.PORT;
    }

    public static int freePort() {
        try {
            return Ports.free();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void requireServers() {
        if (CONTAINERS) {
            ContainerServers.requireEngine();
        }
    }

    private static final class PostgresHolder {
        static final int PORT = CONTAINERS ? ContainerServers.postgres() : EmbeddedServers.postgres();
    }

    private static final class RedisHolder {
        static final int PORT = CONTAINERS ? ContainerServers.redis() : EmbeddedServers.redis();
    }

    /** Nobody may be connected to it while it is copied. */
    private static final class Template {
        static final String NAME = migrated("migrated");

        private static String migrated(String name) {
            execute("CREATE DATABASE " + name);
            var vertx = Vertx.vertx();
            for (String schema : List.of("log", "registry", "proxy", "events", "provisioner")) {
                if (TestStores.class.getResource("/db/" + schema) != null) {
                    Postgres.migrate(vertx, url(name), schema).await();
                }
            }
            vertx.close().await();
            return name;
        }
    }
}
