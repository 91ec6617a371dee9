package ai.molecule.cli.embedded;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A PostgreSQL of our own on loopback, as durable as one that was installed: every commit reaches the disk before it is
 * answered, every connection needs the password (SCRAM), and there is no UNIX socket beside the TCP port.
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

    private final ProcessHandle process;
    private final int port;
    private final String password;

    private PostgresServer(ProcessHandle process, int port, String password) {
        this.process = process;
        this.port = port;
        this.password = password;
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

        var command = new ArrayList<>(cluster.as().prefix());
        command.addAll(List.of(installation.resolve("bin/postgres").toString(), "-D", folder.toString()));
        settings(port).forEach(setting -> command.addAll(List.of("-c", setting)));
        var process = ServerProcess.start(command, folder, log);
        Waiting.until(START_TIMEOUT, process, () -> acceptsConnections(pidFile), "PostgreSQL", log);
        // runuser stays in front of the server as its parent, so the server's own word counts.
        long pid = Long.parseLong(Files.readAllLines(pidFile).getFirst().strip());
        var server = new PostgresServer(ProcessHandle.of(pid).orElse(process.toHandle()), port, password);
        try {
            PostgresDatabase.prepare(server);
            return server;
        } catch (LaunchFailure e) {
            server.close();
            throw e;
        }
    }

    private static List<String> settings(int port) {
        return List.of(
                "listen_addresses=127.0.0.1",
                "port=" + port,
                "unix_socket_directories=",
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
        return "postgresql://%s:%s@127.0.0.1:%d/%s".formatted(USER, password, port, DATABASE);
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
