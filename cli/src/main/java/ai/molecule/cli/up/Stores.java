package ai.molecule.cli.up;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.data.Secrets;
import ai.molecule.cli.embedded.KeptServer;
import ai.molecule.cli.embedded.KeptServer.Starter;
import ai.molecule.cli.embedded.MachineRedis;
import ai.molecule.cli.embedded.PostgresServer;
import ai.molecule.cli.embedded.RedisServer;
import ai.molecule.cli.embedded.ServerBinaries;
import ai.molecule.cli.process.OutageNotice;
import ai.molecule.cli.process.RestartPolicy;
import ai.molecule.common.config.DatabaseUrl;
import ai.molecule.common.config.Env;
import ai.molecule.common.net.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the platform keeps its state: servers of the user's, or ours, which are started again should they end.
 *
 * @param redisUrl empty where the platform runs without Redis
 * @param ours by name
 */
record Stores(String databaseUrl, String redisUrl, SortedMap<String, KeptServer> ours) implements AutoCloseable {

    /** {@code none}: the services are to do without Redis. */
    static final String REDIS_VARIABLE = "MOLECULE_REDIS";

    static final String NO_REDIS = "none";

    /** Said in the log and to whoever starts the platform. */
    static final String WITHOUT_REDIS =
            "running without Redis: tickets and limits are kept in PostgreSQL. REDIS_URL names"
                    + " one; with --env production a valkey-server or redis-server 7.2 or later on the PATH is started too";

    private static final Logger LOGGER = LoggerFactory.getLogger(Stores.class);
    private static final String POSTGRES = "postgres";
    private static final String REDIS = "redis";

    /**
     * Starts what the user did not name by DATABASE_URL and REDIS_URL, both at the same time.
     *
     * @param production takes no embedded Redis, which is old: one of the machine's, or none
     * @param terminal where is said that a server does not stay up
     * @param afterRestart told when a server got a new process
     */
    static Stores open(
            DataFolder data,
            Secrets secrets,
            Map<String, String> user,
            boolean production,
            Consumer<String> terminal,
            Runnable afterRestart)
            throws IOException {
        var binaries = new ServerBinaries(data.binaries());
        var ours = new TreeMap<String, KeptServer>();
        var starting = new Starting(data.root().resolve("starting"));
        String databaseUrl = namedDatabase(user);
        String redisUrl = user.getOrDefault("REDIS_URL", "");
        int postgresPort = Ports.free();
        Path sockets = production ? sockets(data) : null;
        Starter postgres = () -> PostgresServer.start(
                binaries, data.postgres(), postgresPort, secrets.postgresPassword(), data.log(POSTGRES), sockets);
        var redis = redis(binaries, data, secrets, user, production);
        boolean ownRedis = redis.isPresent();
        var redisStarts = inBackground(
                () -> kept(REDIS, redis.orElseThrow(), starting, notice(REDIS, data, terminal), afterRestart),
                ownRedis);
        try {
            if (databaseUrl.isEmpty()) {
                var started = kept(POSTGRES, postgres, starting, notice(POSTGRES, data, terminal), afterRestart);
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

    /** Where agents of this machine cannot use up the database's connections; null where the folder's path is too long for a socket. */
    private static @Nullable Path sockets(DataFolder data) {
        if (PostgresServer.takes(data.postgresSockets())) {
            return data.postgresSockets();
        }
        LOGGER.atWarn()
                .addKeyValue("folder", data.postgresSockets())
                .log(
                        "the data folder's path is too long for a socket: PostgreSQL listens on loopback, where agents may use up its connections");
        return null;
    }

    /** The user's own, with the certificates of its authority; empty when there is none. */
    private static String namedDatabase(Map<String, String> user) {
        try {
            return Objects.requireNonNullElse(DatabaseUrl.find(new Env(user)), "");
        } catch (IllegalArgumentException wrong) {
            throw LaunchFailure.usersTurn(String.valueOf(wrong.getMessage()));
        }
    }

    /** Empty when the user names one, or wants none, or production finds none. */
    private static Optional<Starter> redis(
            ServerBinaries binaries, DataFolder data, Secrets secrets, Map<String, String> user, boolean production)
            throws IOException {
        if (!user.getOrDefault("REDIS_URL", "").isEmpty() || NO_REDIS.equals(user.get(REDIS_VARIABLE))) {
            return Optional.empty();
        }
        int port = Ports.free();
        String password = secrets.redisPassword();
        if (!production) {
            return Optional.of(() -> RedisServer.start(binaries, data.redis(), port, password, data.log(REDIS)));
        }
        var found = MachineRedis.find(user.getOrDefault("PATH", ""));
        if (found.isEmpty()) {
            LOGGER.atWarn().log(WITHOUT_REDIS);
        }
        return found.map(program -> () -> RedisServer.start(program, data.redis(), port, password, data.log(REDIS)));
    }

    private static OutageNotice notice(String name, DataFolder data, Consumer<String> terminal) {
        return new OutageNotice(name, data.log(name), RestartPolicy.STANDARD, terminal);
    }

    private static KeptServer kept(
            String name, Starter starter, Starting starting, OutageNotice notice, Runnable afterRestart)
            throws IOException {
        Starter announced = () -> {
            starting.begin();
            try {
                return starter.start();
            } finally {
                starting.end();
            }
        };
        return new KeptServer(name, announced, RestartPolicy.STANDARD, notice, afterRestart);
    }

    boolean hasRedis() {
        return !redisUrl.isEmpty();
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
            if (starts == 0) {
                Files.writeString(file, "");
            }
            starts++;
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
            if (e.getCause() instanceof LaunchFailure failure) {
                throw failure;
            }
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw LaunchFailure.broken("A server could not be started: " + e.getMessage(), e);
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
