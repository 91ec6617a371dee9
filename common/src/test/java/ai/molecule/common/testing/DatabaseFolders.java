package ai.molecule.common.testing;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the tests' PostgreSQL keeps its files: in memory where a machine has enough, because hundreds of databases of some 600 small files
 * each keep a disk busy for minutes, otherwise where temporary files are. What a JVM left behind that was killed is taken away by the next.
 */
final class DatabaseFolders {

    private static final Path MEMORY = Path.of("/dev/shm");

    /** Six JVMs of tests at once, of which two with the registry's tests were seen to take 1.9 GB and six 5 GB, and room for what comes. */
    private static final long ENOUGH_BYTES = 8L << 30;

    private static final String PREFIX = "molecule-postgres-";

    private DatabaseFolders() {}

    static Path create() throws IOException {
        String ours = PREFIX + ProcessHandle.current().pid() + "-";
        if (!Files.isWritable(MEMORY) || Files.getFileStore(MEMORY).getUsableSpace() < ENOUGH_BYTES) {
            return Files.createTempDirectory(ours);
        }
        deleteOfTheDead();
        return Files.createTempDirectory(MEMORY, ours);
    }

    private static void deleteOfTheDead() throws IOException {
        try (var folders = Files.newDirectoryStream(MEMORY, PREFIX + "*")) {
            for (Path folder : folders) {
                long owner = Long.parseLong(folder.getFileName().toString().split("-")[2]);
                if (ProcessHandle.of(owner).isEmpty()) {
                    delete(folder);
                }
            }
        }
    }

    /** By a process of its own: they are many files, and Surefire kills a JVM that is not gone after 30 s. */
    static void delete(Path folder) throws IOException {
        new ProcessBuilder("rm", "-rf", folder.toString())
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start();
    }
}
