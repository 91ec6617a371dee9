package ai.molecule.cli.embedded;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.data.PrivateFiles;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A Redis of our own on loopback: password-protected, with no command that administers it, its log of writes flushed to disk every second. What lies in it may be
 * lost by design, so a flush per write would buy nothing.
 */
public final class RedisServer implements EmbeddedServer {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(180);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(4);
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(2);

    private final ProcessHandle process;
    private final int port;
    private final String password;

    private RedisServer(ProcessHandle process, int port, String password) {
        this.process = process;
        this.port = port;
        this.password = password;
    }

    /**
     * Starts the server and waits until it answers. One that an earlier run left behind in the same folder is stopped first.
     *
     * @param folder keeps the data, the configuration and the process id ({@code redis.pid})
     * @throws LaunchFailure when it does not answer within 180 s; the sentence carries the end of its log
     */
    public static RedisServer start(ServerBinaries binaries, Path folder, int port, String password, Path log)
            throws IOException {
        return start(binaries.redis(), folder, port, password, log);
    }

    /** The same with another program, of version 6.2 or later. */
    public static RedisServer start(Path program, Path folder, int port, String password, Path log) throws IOException {
        PrivateFiles.createFolder(folder);
        Path pidFile = folder.resolve("redis.pid");
        LeftOver.find(pidFile, program.resolve("../..").normalize())
                .ifPresent(process -> LeftOver.stop(process, "TERM", STOP_TIMEOUT));

        // The password stands in a file because a command line can be read by every user of the machine; its digest is
        // enough.
        // Of what could change the server, read everything or stop it nothing is allowed, and what the platform would
        // set is set.
        Path configuration = folder.resolve("redis.conf");
        PrivateFiles.write(configuration, """
                bind 127.0.0.1
                port %d
                user default on #%s ~* &* +@all -@dangerous -@scripting +eval +config|get +info
                dir "%s"
                pidfile "%s"
                daemonize no
                appendonly yes
                appendfsync everysec
                save ""
                notify-keyspace-events Ex
                client-output-buffer-limit normal 16mb 8mb 60
                """.formatted(port, sha256(password), folder, pidFile));
        var process = ServerProcess.start(List.of(program.toString(), configuration.toString()), folder, log);
        var server = new RedisServer(process.toHandle(), port, password);
        Waiting.until(START_TIMEOUT, process, server::answers, "Redis", log);
        return server;
    }

    private static String sha256(String password) throws IOException {
        return Checksums.of(new ByteArrayInputStream(password.getBytes(StandardCharsets.UTF_8)));
    }

    private boolean answers() {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port), (int) CALL_TIMEOUT.toMillis());
            socket.setSoTimeout((int) CALL_TIMEOUT.toMillis());
            socket.getOutputStream()
                    .write("AUTH %s\r\nPING\r\n".formatted(password).getBytes(StandardCharsets.US_ASCII));
            var replies = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            return "+OK".equals(replies.readLine()) && "+PONG".equals(replies.readLine());
        } catch (IOException e) {
            return false; // not listening yet, or still reading its log
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

    /** As {@code REDIS_URL}; carries the password. */
    @Override
    public String url() {
        return "redis://:%s@127.0.0.1:%d/0".formatted(password, port);
    }

    /** Stops the server if it still runs, within 5 s. */
    @Override
    public void close() {
        if (process.isAlive()) {
            LeftOver.stop(process, "TERM", STOP_TIMEOUT);
        }
    }
}
