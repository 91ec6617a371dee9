package ai.molecule.system;

import ai.molecule.common.testing.TestStores;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A data folder whose platform has been started and stopped once, made for all platforms of these tests: to create and migrate a database was
 * half the processor time of a first start, and there are some forty. First starts of their own have those with the demonstration, those in
 * production, and those that bring a database.
 */
final class StartedBefore {

    private static final Path KEPT = Path.of("target", "started-before").toAbsolutePath();

    /** What its logs say is of that start alone, and {@link UnpackedServers} puts links for its binaries. */
    private static final List<String> NOT_COPIED = List.of("binaries", "logs/*", "pids/*");

    private static final Set<String> OWN_STORES = Set.of("DATABASE_URL", "SECRETS_ENCRYPTION_KEY");

    private StartedBefore() {}

    /** Copies it to where a platform is to keep its own, unless there is one, or its first start shall be seen. */
    static void into(Path data, Map<String, String> environment, List<String> options) throws IOException {
        if (!options.contains("--no-demo")
                || options.contains("production")
                || environment.keySet().stream().anyMatch(OWN_STORES::contains)
                || Files.exists(data.resolve("postgres"))) {
            return;
        }
        Files.createDirectories(KEPT.getParent());
        try (var held = FileChannel.open(
                KEPT.resolveSibling("started-before.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            var _ = held.lock(); // tests run in several JVMs
            if (!Files.exists(KEPT)) {
                make();
            }
        }
        List<String> command = new ArrayList<>(List.of("cp", "-a"));
        try (var files = Files.list(KEPT)) {
            files.map(Path::toString).forEach(command::add);
        }
        command.add(Files.createDirectories(data).toString());
        run(command); // with owners and modes: PostgreSQL does not run as root
    }

    private static void make() throws IOException {
        Launcher.run("--version"); // rehearses, which is no part of a start and may take as long as one is waited for
        Path making = Files.createTempDirectory("molecule-started-before");
        UnpackedServers.into(making.resolve("binaries"));
        Path out = Files.createTempFile("molecule-up-out", ".txt");
        Path err = Files.createTempFile("molecule-up-err", ".txt");
        var launcher = Launcher.start(
                Map.of(),
                out,
                err,
                "up",
                "--no-demo",
                "--port",
                String.valueOf(TestStores.freePort()),
                "--data",
                making.toString());
        String line = Platform.readyLine(launcher, out);
        launcher.destroy();
        if (!line.startsWith("molecule ready: ")) {
            throw new AssertionError("no ready line: " + line + "\n" + Files.readString(err));
        }
        try {
            if (!launcher.waitFor(Platform.STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("launcher still running\n" + Files.readString(err));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
        run(List.of("sh", "-c", "cd '%s' && rm -rf %s".formatted(making, String.join(" ", NOT_COPIED))));
        run(List.of("mv", making.toString(), KEPT.toString()));
    }

    private static void run(List<String> command) throws IOException {
        var process = new ProcessBuilder(command).inheritIO().start();
        try {
            if (process.waitFor() != 0) {
                throw new IOException("failed: " + String.join(" ", command));
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
