package ai.molecule.cli.up;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.data.Secrets;
import ai.molecule.cli.embedded.KeptServer;
import ai.molecule.cli.embedded.KeptServer.Starter;
import ai.molecule.cli.embedded.PostgresServer;
import ai.molecule.cli.embedded.RedisServer;
import ai.molecule.cli.embedded.ServerBinaries;
import ai.molecule.cli.process.RestartPolicy;
import ai.molecule.common.net.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Where the platform keeps its state: servers of the user's, or ours, which are started again should they end.
 *
 * @param ours by name
 */
record Stores(String databaseUrl, String redisUrl, SortedMap<String, KeptServer> ours) implements AutoCloseable {

    private static final String POSTGRES = "postgres";
    private static final String REDIS = "redis";

    /**
     * Starts what the user did not name by DATABASE_URL and REDIS_URL, both at the same time.
     *
     * @param afterRestart told when a server got a new process
     */
    static Stores open(DataFolder data, Secrets secrets, Map<String, String> user, Runnable afterRestart)
            throws IOException {
        var binaries = new ServerBinaries(data.binaries());
        var ours = new TreeMap<String, KeptServer>();
        var starting = new Starting(data.root().resolve("starting"));
        String databaseUrl = user.getOrDefault("DATABASE_URL", "");
        String redisUrl = user.getOrDefault("REDIS_URL", "");
        int postgresPort = Ports.free();
        int redisPort = Ports.free();
        Starter postgres = () -> PostgresServer.start(
                binaries, data.postgres(), postgresPort, secrets.postgresPassword(), data.log(POSTGRES));
        Starter redis =
                () -> RedisServer.start(binaries, data.redis(), redisPort, secrets.redisPassword(), data.log(REDIS));
        boolean ownRedis = redisUrl.isEmpty();
        var redisStarts = inBackground(() -> kept(REDIS, redis, starting, afterRestart), ownRedis);
        try {
            if (databaseUrl.isEmpty()) {
                var started = kept(POSTGRES, postgres, starting, afterRestart);
                databaseUrl = started.server().url();
                ours.put(POSTGRES, started);
            }
            if (ownRedis) {
                var started = result(redisStarts);
                redisUrl = started.server().url();
                ours.put(REDIS, started);
            }
            return new Stores(databaseUrl, redisUrl, ours);
        } finally {
            if (ownRedis) {
                awaitEnd(redisStarts);
            }
        }
    }

    private static KeptServer kept(String name, Starter starter, Starting starting, Runnable afterRestart)
            throws IOException {
        Starter announced = () -> {
            starting.begin();
            try {
                return starter.start();
            } finally {
                starting.end();
            }
        };
        return new KeptServer(name, announced, RestartPolicy.STANDARD, afterRestart);
    }

    /** Where the servers of ours are now. */
    SequencedMap<String, RunFile.Endpoint> servers() {
        var servers = new TreeMap<String, RunFile.Endpoint>();
        ours.forEach((name, kept) -> servers.put(
                name, new RunFile.Endpoint(kept.server().port(), kept.server().pid())));
        return servers;
    }

    /** From now on the end of a server is what should happen. */
    @Override
    public void close() {
        ours.values().forEach(KeptServer::close);
    }

    /** While its file is there the watchdog keeps looking for servers that are just being started. */
    private static final class Starting {

        private final Path file;
        private int starts;

        Starting(Path file) {
            this.file = file;
        }

        synchronized void begin() throws IOException {
            if (starts++ == 0) {
                Files.writeString(file, "");
            }
        }

        synchronized void end() throws IOException {
            if (--starts == 0) {
                Files.deleteIfExists(file);
            }
        }
    }

    private static <T> FutureTask<T> inBackground(Callable<T> start, boolean wanted) {
        var task = new FutureTask<>(start);
        if (wanted) {
            Thread.ofVirtual().name("start-redis").start(task);
        }
        return task;
    }

    /** However it ends: a server that starts after everything was stopped would stay. */
    private static void awaitEnd(FutureTask<?> task) {
        try {
            task.get();
        } catch (ExecutionException e) {
            // reported by whoever asked for the result
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static <T> T result(FutureTask<T> task) throws IOException {
        try {
            return task.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case LaunchFailure failure -> throw failure;
                case IOException failure -> throw failure;
                case null, default -> throw LaunchFailure.broken("A server could not be started: " + e.getMessage(), e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw LaunchFailure.broken("Interrupted while starting the servers.");
        }
    }

    /** Without the URLs: they carry passwords. */
    @Override
    public String toString() {
        return "Stores" + servers();
    }
}
