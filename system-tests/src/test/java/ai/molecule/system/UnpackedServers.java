package ai.molecule.system;

import ai.molecule.cli.embedded.ServerBinaries;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * PostgreSQL and Redis, unpacked once for all platforms of these tests: to unpack them anew for each was a quarter of the processor
 * time of a first start. The launcher looks at their checksums all the same; what it does without them is seen in the tests of its own
 * module.
 */
final class UnpackedServers {

    private static final Path KEPT = Path.of("target", "servers").toAbsolutePath();

    private UnpackedServers() {}

    /** Puts links to them where a platform keeps its own, unless something is there. */
    static void into(Path binaries) throws IOException {
        if (Files.exists(binaries)) {
            return;
        }
        Files.createDirectories(KEPT);
        Path lock = KEPT.resolveSibling("servers.lock");
        try (var held = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            var _ = held.lock(); // tests run in several JVMs
            var kept = new ServerBinaries(KEPT);
            kept.postgres();
            kept.redis();
        }
        List<Path> found;
        try (var files = Files.walk(KEPT)) {
            found = files.toList(); // folders before what is in them
        }
        try {
            for (Path file : found) {
                Path link = binaries.resolve(KEPT.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(link);
                } else if (Files.isSymbolicLink(file)) {
                    Files.createSymbolicLink(link, Files.readSymbolicLink(file));
                } else {
                    Files.createLink(link, file);
                }
            }
        } catch (FileSystemException anotherDisk) {
            ServerBinaries.deleteTree(binaries); // the launcher unpacks them then
        }
    }
}
