package ai.molecule.cli.backup;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.FolderLock;
import ai.molecule.cli.data.RunFile;
import ai.molecule.cli.data.Secrets;
import ai.molecule.cli.embedded.EarlierServers;
import ai.molecule.cli.embedded.PostgresServer;
import ai.molecule.cli.embedded.ServerBinaries;
import ai.molecule.cli.process.Watchdog;
import ai.molecule.common.config.DatabaseUrl;
import ai.molecule.common.config.Env;
import ai.molecule.common.net.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The database of a platform: the one that {@code DATABASE_URL} names, else the embedded one, which is started for as long as this is open
 * when the platform does not run.
 *
 * @param url as {@code DATABASE_URL}; carries the password
 */
record PlatformDatabase(
        String url, @Nullable FolderLock lock, @Nullable PostgresServer server) implements AutoCloseable {

    /** What is copied comes as it is read; a server that says nothing for so long hangs, or the way to it is cut. */
    static final Duration COPY_SILENCE_MAX = Duration.ofMinutes(5);

    /** A server says nothing while it checks what refers to what in a large table. */
    static final Duration LOAD_SILENCE_MAX = Duration.ofMinutes(30);

    private static final Duration SIGN_IN_MAX = Duration.ofMinutes(1);

    /** Whether it is the user's own. */
    static boolean isNamed(Map<String, String> environment) {
        return !named(environment).isEmpty();
    }

    private static String named(Map<String, String> environment) {
        try {
            return Objects.requireNonNullElse(DatabaseUrl.find(new Env(environment)), "");
        } catch (IllegalArgumentException wrong) {
            throw LaunchFailure.usersTurn(String.valueOf(wrong.getMessage()));
        }
    }

    /** @throws LaunchFailure when the folder holds no platform */
    static PlatformDatabase open(DataFolder data, Map<String, String> environment) throws IOException {
        String named = named(environment);
        if (!named.isEmpty()) {
            return new PlatformDatabase(bounded(named, COPY_SILENCE_MAX), null, null);
        }
        if (!Files.isDirectory(data.postgres())) {
            throw LaunchFailure.usersTurn("There is no platform in " + data.root()
                    + "; name its folder with --data, or its database with DATABASE_URL.");
        }
        var lock = FolderLock.tryAcquire(data.lock());
        return lock.isPresent() ? start(data, lock.get(), COPY_SILENCE_MAX) : running(data);
    }

    /** For a platform that is about to be made. */
    static PlatformDatabase make(DataFolder data, Map<String, String> environment, FolderLock lock) throws IOException {
        String named = named(environment);
        return named.isEmpty()
                ? start(data, lock, LOAD_SILENCE_MAX)
                : new PlatformDatabase(bounded(named, LOAD_SILENCE_MAX), lock, null);
    }

    /** With an end to each wait for an answer, but where the user says another. */
    static String bounded(String url, Duration silenceMax) {
        String own = url.contains("?") ? url.substring(url.indexOf('?') + 1) : "";
        String all = Stream.of(
                        "loginTimeout=" + SIGN_IN_MAX.toSeconds(),
                        "socketTimeout=" + silenceMax.toSeconds(),
                        "tcpKeepAlive=true")
                .filter(each -> !("&" + own).contains("&" + each.substring(0, each.indexOf('=') + 1)))
                .collect(Collectors.joining("&"));
        return all.isEmpty() ? url : url + (url.contains("?") ? own.isEmpty() ? "" : "&" : "?") + all;
    }

    private static PlatformDatabase running(DataFolder data) throws IOException {
        var postgres = RunFile.read(data.runFile())
                .map(running -> running.servers().get("postgres"))
                .orElseThrow(
                        () -> LaunchFailure.usersTurn(
                                "The platform in " + data.root()
                                        + " is just starting or stopping, or has a database of yours; wait, or name that with DATABASE_URL."));
        String password = Secrets.load(data, false).postgresPassword();
        return new PlatformDatabase(
                bounded(PostgresServer.urlOf(postgres.port(), password, data.postgresSockets()), COPY_SILENCE_MAX),
                null,
                null);
    }

    private static PlatformDatabase start(DataFolder data, FolderLock lock, Duration silenceMax) throws IOException {
        try {
            Watchdog.awaitEarlier(data);
            EarlierServers.stop(data.binaries(), data.postgres(), data.redis());
            var server = PostgresServer.start(
                    new ServerBinaries(data.binaries()),
                    data.postgres(),
                    Ports.free(),
                    Secrets.load(data, false).postgresPassword(),
                    data.log("postgres"));
            return new PlatformDatabase(bounded(server.url(), silenceMax), lock, server);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        if (server != null) {
            server.close();
        }
        if (lock != null) {
            lock.close();
        }
    }

    /** Without the URL: it carries a password. */
    @Override
    public String toString() {
        return "PlatformDatabase[" + (server == null ? "of others" : "started") + "]";
    }
}
