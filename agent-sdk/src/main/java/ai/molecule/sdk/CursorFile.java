package ai.molecule.sdk;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/** The last handled message, in a file that is replaced whole. Losing it costs handling messages again, so failures are only told. */
final class CursorFile {

    private static final Logger LOGGER = System.getLogger(CursorFile.class.getName());
    private static final int CURSOR_MAX_BYTES = 1024;

    private final Path file;

    CursorFile(Path file) {
        this.file = file.toAbsolutePath();
    }

    Optional<String> load() {
        try {
            if (Files.size(file) > CURSOR_MAX_BYTES) {
                throw new IOException("too large to be a cursor");
            }
            return Optional.of(Files.readString(file).strip()).filter(cursor -> !cursor.isEmpty());
        } catch (NoSuchFileException first) {
            return Optional.empty();
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "cursor file {0} cannot be read: {1}", file, e);
            return Optional.empty();
        }
    }

    void save(String cursor) {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(fresh, cursor);
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, "cursor file {0} cannot be written: {1}", file, e);
        }
    }
}
