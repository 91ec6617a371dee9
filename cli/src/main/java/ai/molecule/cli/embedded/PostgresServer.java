package ai.molecule.cli.embedded;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.PrivateFiles;
import ai.molecule.common.db.SocketFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL of our own, as durable as one that was installed: every commit reaches the disk before it is answered, and every connection needs the
 * password (SCRAM). It listens on loopback, or else in a folder that nobody but this user may enter, and then at no port: whoever cannot sign in
 * holds one of its connections all the same.
 */
public final class PostgresServer implements EmbeddedServer {

    /** The platform's role, which owns its database and nothing else. */
    public static final String USER = "molecule_platform";

    /** Made the cluster; nobody but the launcher uses it, with the same password. */
    static final String SUPERUSER = "molecule";

    public static final String DATABASE = "molecule";

    /** Also covers the recovery after a power cut. */
    private static final Duration START_TIMEOUT = Duration.ofSeconds(180);

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(4);

    /** Of {@code sockaddr_un}, of macOS the shorter one. */
    private static final int SOCKET_PATH_MAX_BYTES = 103;

    private static final int MAX_PORT = 65_535;

    private final ProcessHandle process;
    private final int port;
    private final String password;
    private final @Nullable Path sockets;

    private PostgresServer(ProcessHandle process, int port, String password, @Nullable Path sockets) {
        this.process = process;
        this.port = port;
        this.password = password;
        this.sockets = sockets;
    }

    /**
     * Starts the server on {@code folder/…} and waits until it accepts connections. A new folder is initialised, a server that
     * an earlier run left behind is stopped.
     *
     * @param folder the cluster's folder, for example {@code <data>/postgres}; its parent must exist
     * @throws LaunchFailure when the folder belongs to another major version, the server is refused by the system, or it does not
     *     accept connections within 180 s
     */
    public static PostgresServer start(ServerBinaries binaries, Path folder, int port, String password, Path log)
            throws IOException {
        return start(binaries, folder, port, password, log, null);
    }

    /**
     * The same.
     *
     * @param sockets where it listens instead of at the port, which only names its socket then; null for the port
     */
    public static PostgresServer start(
            ServerBinaries binaries, Path folder, int port, String password, Path log, @Nullable Path sockets)
            throws IOException {
        Path installation = binaries.postgres();
        var cluster = new PostgresCluster(installation, folder, Unprivileged.find());
        cluster.requireSameMajor();
        Path pidFile = folder.resolve("postmaster.pid");
        LeftOver.find(pidFile, installation.resolve("..").normalize())
                .ifPresent(process -> LeftOver.stop(process, "INT", STOP_TIMEOUT));
        // What is left now names nobody of ours; PostgreSQL itself would refuse if the number is in use again.
        Files.deleteIfExists(pidFile);
        cluster.initialiseIfNew(password, log);
        restrict(log);
        if (sockets != null) {
            makeEmpty(sockets);
            cluster.as().own(sockets);
        }

        var command = new ArrayList<>(cluster.as().prefix());
        command.addAll(List.of(installation.resolve("bin/postgres").toString(), "-D", folder.toString()));
        settings(port, sockets).forEach(setting -> command.addAll(List.of("-c", setting)));
        var process = ServerProcess.start(command, folder, log);
        Waiting.until(START_TIMEOUT, process, () -> acceptsConnections(pidFile), "PostgreSQL", log);
        // runuser stays in front of the server as its parent, so the server's own word counts.
        long pid = Long.parseLong(Files.readAllLines(pidFile).getFirst().strip());
        var server = new PostgresServer(ProcessHandle.of(pid).orElse(process.toHandle()), port, password, sockets);
        try {
            PostgresDatabase.prepare(server);
            return server;
        } catch (LaunchFailure e) {
            server.close();
            throw e;
        }
    }

    /** Whether a socket in the folder has a path that systems take. */
    public static boolean takes(Path sockets) {
        return socket(sockets, MAX_PORT).getBytes(StandardCharsets.UTF_8).length <= SOCKET_PATH_MAX_BYTES;
    }

    private static String socket(Path sockets, int port) {
        return sockets.resolve(".s.PGSQL." + port).toString();
    }

    /** A server that was killed leaves its socket and, beside it, a process id that may be another's by now. */
    private static void makeEmpty(Path sockets) throws IOException {
        ServerBinaries.deleteTree(sockets);
        PrivateFiles.createFolder(sockets);
    }

    private static List<String> settings(int port, @Nullable Path sockets) {
        return List.of(
                "listen_addresses=" + (sockets == null ? "127.0.0.1" : ""),
                "port=" + port,
                "unix_socket_directories="
                        + (sockets == null ? "" : '"' + sockets.toString().replace("\"", "\"\"") + '"'),
                "unix_socket_permissions=0700",
                // Whoever does not sign in holds a connection for no longer than that.
                "authentication_timeout=15s",
                // Defaults, said again because everything rests on them.
                "fsync=on",
                "synchronous_commit=on",
                "full_page_writes=on",
                "password_encryption=scram-sha-256",
                // Four services with a pool each, doubled while one is replaced, and a person with psql.
                "max_connections=200");
    }

    private static void restrict(Path log) throws IOException {
        if (!Files.exists(log)) {
            PrivateFiles.write(log, "");
        }
    }

    /** The eighth line of the file is the state; see PostgreSQL's {@code pidfile.h}. */
    private static boolean acceptsConnections(Path pidFile) {
        try {
            var lines = Files.readAllLines(pidFile);
            return lines.size() >= 8 && lines.get(7).strip().equals("ready");
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public ProcessHandle process() {
        return process;
    }

    /** As {@code DATABASE_URL}; carries the password. */
    @Override
    public String url() {
        return url(port, password, sockets);
    }

    /** Of one that runs. @param sockets where it listens if not at the port; it need not be there */
    public static String urlOf(int port, String password, Path sockets) {
        return url(port, password, Files.exists(Path.of(socket(sockets, port))) ? sockets : null);
    }

    private static String url(int port, String password, @Nullable Path sockets) {
        String url = "postgresql://%s:%s@127.0.0.1:%d/%s".formatted(USER, password, port, DATABASE);
        return sockets == null ? url : SocketFolder.in(url, sockets.toString());
    }

    /** What JDBC needs to be told besides. */
    Map<String, String> jdbc() {
        return sockets == null ? Map.of() : SocketFolder.jdbc(sockets.toString(), port);
    }

    String password() {
        return password;
    }

    /** Ends all connections and stops the server if it still runs, within 5 s. */
    @Override
    public void close() {
        if (process.isAlive()) {
            LeftOver.stop(process, "INT", STOP_TIMEOUT);
        }
    }
}
