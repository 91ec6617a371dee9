package ai.molecule.cli.up;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Ports;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.data.Secrets;
import ai.molecule.cli.embedded.PostgresServer;
import ai.molecule.cli.embedded.RedisServer;
import ai.molecule.cli.embedded.ServerBinaries;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Where the platform keeps its state: servers of the user's, or ours.
 *
 * @param servers those of ours, by name
 */
record Stores(String databaseUrl, String redisUrl, TreeMap<String, RunFile.Endpoint> servers) {

    /** Starts what the user did not name by DATABASE_URL and REDIS_URL, both at the same time. */
    static Stores open(DataFolder data, Secrets secrets, Map<String, String> user) throws IOException {
        var binaries = new ServerBinaries(data.binaries());
        var servers = new TreeMap<String, RunFile.Endpoint>();
        // While this file is there the watchdog keeps looking for servers that are just being started.
        var starting = data.root().resolve("starting");
        Files.writeString(starting, "");
        String databaseUrl = user.getOrDefault("DATABASE_URL", "");
        String redisUrl = user.getOrDefault("REDIS_URL", "");
        var redis = inBackground(
                () -> RedisServer.start(
                        binaries, data.redis(), Ports.free(), secrets.redisPassword(), data.log("redis")),
                redisUrl.isEmpty());
        boolean ownRedis = redisUrl.isEmpty();
        try {
            if (databaseUrl.isEmpty()) {
                var postgres = PostgresServer.start(
                        binaries, data.postgres(), Ports.free(), secrets.postgresPassword(), data.log("postgres"));
                databaseUrl = postgres.url();
                servers.put("postgres", new RunFile.Endpoint(postgres.port(), postgres.pid()));
            }
            if (ownRedis) {
                var started = result(redis);
                redisUrl = started.url();
                servers.put("redis", new RunFile.Endpoint(started.port(), started.pid()));
            }
            return new Stores(databaseUrl, redisUrl, servers);
        } finally {
            if (ownRedis) {
                awaitEnd(redis);
            }
            Files.deleteIfExists(starting);
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
        return "Stores" + servers;
    }
}
