package ai.molecule.cli.data;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A file of the user's that is there as a whole or not at all, whatever cuts its writing off. */
public final class WholeFile {

    private WholeFile() {}

    /** In place of one that is there. @return how many bytes */
    public static long save(InputStream content, Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Path fresh = Files.createTempFile(folder, "." + file.getFileName(), ".part");
        fresh.toFile().deleteOnExit(); // of Ctrl-C
        try {
            long bytes = Files.copy(content, fresh, StandardCopyOption.REPLACE_EXISTING);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            return bytes;
        } finally {
            Files.deleteIfExists(fresh);
        }
    }
}
