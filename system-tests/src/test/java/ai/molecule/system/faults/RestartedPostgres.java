package ai.molecule.system.faults;

import static org.awaitility.Awaitility.await;

import ai.molecule.cli.embedded.PostgresServer;
import ai.molecule.cli.embedded.ServerBinaries;
import ai.molecule.common.testing.TestStores;
import java.io.IOException;
import java.nio.file.Path;

/** The launcher's own kind of PostgreSQL, in the test's hands: killed, and started again on the same folder and port. */
final class RestartedPostgres implements AutoCloseable {

    private final Path folder;
    private final int port = TestStores.freePort();
    private PostgresServer server;

    RestartedPostgres(Path folder) throws IOException {
        this.folder = folder;
        start();
    }

    void start() throws IOException {
        server = PostgresServer.start(
                new ServerBinaries(folder.resolve("bin")),
                folder.resolve("postgres"),
                port,
                "password",
                folder.resolve("postgres.log"));
    }

    /** As after a power cut: nobody is told, and the server's children end because their parent did. */
    void kill() {
        var process = ProcessHandle.of(server.pid()).orElseThrow();
        var children = process.descendants().toList();
        process.destroyForcibly();
        await().until(() -> !process.isAlive() && children.stream().noneMatch(ProcessHandle::isAlive));
    }

    String url() {
        return server.url();
    }

    @Override
    public void close() {
        server.close();
    }
}
