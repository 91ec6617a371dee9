package ai.molecule.common.testing;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.net.Ports;
import io.vertx.core.Vertx;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import redis.embedded.RedisServer;

/** One PostgreSQL and one Redis for all tests of a JVM, started when first asked for and stopped with the JVM. */
public final class EmbeddedStores {

    private static final AtomicInteger DATABASES = new AtomicInteger();

    private EmbeddedStores() {}

    /**
     * The URL of a new database with every schema whose migrations this JVM has, and nothing in them. A copy: going through all the
     * migrations takes many times as long, and most tests begin with a database of their own. Its files are copied as they are: 20 ms in
     * memory, where writing each page into the log as well takes 50.
     */
    public static String freshDatabase() {
        return create(" TEMPLATE " + Template.NAME + " STRATEGY FILE_COPY");
    }

    /** The URL of a new database without any schema, for whoever tests how one comes about. */
    public static String emptyDatabase() {
        return create("");
    }

    private static String create(String how) {
        String name = "test_" + DATABASES.incrementAndGet();
        execute("CREATE DATABASE " + name + how);
        return url(name);
    }

    private static String url(String name) {
        return "postgresql://postgres:postgres@127.0.0.1:%d/%s".formatted(Server.POSTGRES.getPort(), name);
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
        try (var connection = Server.POSTGRES.getPostgresDatabase().getConnection();
                var plain = connection.createStatement()) {
            plain.execute(statement);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** The URL of this JVM's Redis; keys of other tests may be in it. */
    public static String redisUrl() {
        return "redis://127.0.0.1:" + RedisHolder.PORT;
    }

    public static int freePort() {
        try {
            return Ports.free();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static final class Server {
        private static final int TRIES = 5;
        static final EmbeddedPostgres POSTGRES = start();

        private static EmbeddedPostgres start() {
            try {
                var server = startOnce();
                for (int i = 1; server.isEmpty() && i < TRIES; i++) {
                    server = startOnce();
                }
                return server.orElseThrow(() -> new IOException("every port was taken before PostgreSQL listened"));
            } catch (IOException | SQLException failure) {
                throw new IllegalStateException(failure);
            }
        }

        /** Empty when another JVM's server was quicker to listen on the port: then it is that one which answers there. */
        private static Optional<EmbeddedPostgres> startOnce() throws IOException, SQLException {
            String ours = UUID.randomUUID().toString();
            Path folder = DatabaseFolders.create();
            var server = EmbeddedPostgres.builder()
                    .setPort(Ports.free())
                    .setDataDirectory(folder)
                    .setRegisterShutdownHook(false)
                    // on a machine that runs other tests its own ten seconds are too few
                    .setPGStartupWait(Duration.ofMinutes(2))
                    .setServerConfig("cluster_name", ours)
                    .setServerConfig("max_connections", "300")
                    // nothing here outlives the test, and a database for each test is much to write out
                    .setServerConfig("fsync", "off")
                    // the launcher of it looks at each of hundreds of databases, over and over
                    .setServerConfig("autovacuum", "off")
                    .start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server.getProcess(), folder)));
            try (var connection = server.getPostgresDatabase().getConnection();
                    var asked = connection.createStatement();
                    var answer = asked.executeQuery("SHOW cluster_name")) {
                return answer.next() && answer.getString(1).equals(ours) ? Optional.of(server) : Optional.empty();
            }
        }
    }

    /** At once, without writing out what nobody reads again. */
    private static void end(Process server, Path folder) {
        try {
            new ProcessBuilder("kill", "-QUIT", Long.toString(server.pid())).start();
            if (!server.waitFor(5, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
            DatabaseFolders.delete(folder);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException failure) {
            Thread.currentThread().interrupt();
        }
    }

    /** Nobody may be connected to it while it is copied. */
    private static final class Template {
        static final String NAME = migrated("migrated");

        private static String migrated(String name) {
            execute("CREATE DATABASE " + name);
            var vertx = Vertx.vertx();
            for (String schema : List.of("log", "registry", "proxy", "events", "provisioner")) {
                if (EmbeddedStores.class.getResource("/db/" + schema) != null) {
                    Postgres.migrate(vertx, url(name), schema).await();
                }
            }
            vertx.close().await();
            return name;
        }
    }

    private static final class RedisHolder {
        static final int PORT = start();

        private static int start() {
            try {
                int port = freePort();
                var server = RedisServer.newRedisServer()
                        .port(port)
                        .bind("127.0.0.1")
                        .setting("save \"\"")
                        .build();
                server.start();
                Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
                return port;
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        private static void stop(RedisServer server) {
            try {
                server.stop();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
