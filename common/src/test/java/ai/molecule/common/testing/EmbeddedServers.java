package ai.molecule.common.testing;

import ai.molecule.common.net.Ports;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import redis.embedded.RedisServer;

/** A PostgreSQL and a Redis as child processes of this JVM, from binaries that are Maven artifacts. */
final class EmbeddedServers {

    private static final int TRIES = 5;

    private EmbeddedServers() {}

    /** Starts one; its port. */
    static int postgres() {
        try {
            var server = startPostgres();
            for (int i = 1; server.isEmpty() && i < TRIES; i++) {
                server = startPostgres();
            }
            return server.orElseThrow(() -> new IOException("every port was taken before PostgreSQL listened"))
                    .getPort();
        } catch (IOException | SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Empty when another JVM's server was quicker to listen on the port: then it is that one which answers there. */
    private static Optional<EmbeddedPostgres> startPostgres() throws IOException, SQLException {
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

    /** Starts one; its port. */
    static int redis() {
        try {
            int port = Ports.free();
            var server = RedisServer.newRedisServer()
                    .port(port)
                    .bind("127.0.0.1")
                    .setting("save \"\"")
                    .build();
            server.start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server)));
            return port;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void end(RedisServer server) {
        try {
            server.stop();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
