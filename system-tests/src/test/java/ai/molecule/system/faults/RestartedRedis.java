package ai.molecule.system.faults;

import static org.awaitility.Awaitility.await;

import ai.molecule.cli.embedded.RedisServer;
import ai.molecule.cli.embedded.ServerBinaries;
import ai.molecule.common.testing.TestStores;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The launcher's own kind of Redis, in the test's hands: killed, started again on the same folder and port, and emptied. */
final class RestartedRedis implements AutoCloseable {

    private static final String PASSWORD = "password";
    /** The server takes no FLUSHALL. */
    private static final String DELETE_ALL = "local all = redis.call('SCAN', '0', 'COUNT', '1000000')[2]"
            + " if #all > 0 then redis.call('DEL', unpack(all)) end return redis.status_reply('OK')";

    private final Path folder;
    private final int port = TestStores.freePort();
    private RedisServer server;

    RestartedRedis(Path folder) throws IOException {
        this.folder = folder;
        start();
    }

    void start() throws IOException {
        server = RedisServer.start(
                new ServerBinaries(folder.resolve("bin")),
                folder.resolve("redis"),
                port,
                PASSWORD,
                folder.resolve("redis.log"));
    }

    void kill() {
        var process = ProcessHandle.of(server.pid()).orElseThrow();
        process.destroyForcibly();
        await().until(() -> !process.isAlive());
    }

    void flush() throws IOException {
        try (var socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream()
                    .write("AUTH %s\r\nEVAL \"%s\" 0\r\n"
                            .formatted(PASSWORD, DELETE_ALL)
                            .getBytes(StandardCharsets.US_ASCII));
            var replies = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            String authenticated = replies.readLine();
            String flushed = replies.readLine();
            if (!"+OK".equals(authenticated) || !"+OK".equals(flushed)) {
                throw new AssertionError("not flushed: " + authenticated + ", " + flushed);
            }
        }
    }

    String url() {
        return server.url();
    }

    @Override
    public void close() {
        server.close();
    }
}
