package ai.molecule.common.logs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * What a program prints that appends to a file by itself: {@code name.log}, and the end of what was there before in {@code name.log.1}. The
 * program has the file open, so a log that grew too long is emptied, not renamed.
 */
public record AppendedLog(Path file, long bytesMax) {

    /** Beyond this a log is cut; with the older file it takes at most about twice as much. */
    public static final long BYTES_MAX = 10L * 1024 * 1024;

    /** Empties a log that grew too long, keeping its end; lines printed between the copy and the cut are lost. */
    public void trim() throws IOException {
        if (!Files.exists(file) || Files.size(file) <= bytesMax) {
            return;
        }
        var writing = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (var from = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                var to = FileChannel.open(older(), writing, ownerOnly)) {
            long size = from.size();
            long position = Math.max(0, size - bytesMax);
            long moved = 1;
            while (position < size && moved > 0) { // none where the program empties it meanwhile
                moved = from.transferTo(position, size - position, to);
                position += moved;
            }
            from.truncate(0); // the program appends, so it goes on at the new end
        }
    }

    public Path older() {
        return file.resolveSibling(file.getFileName() + ".1");
    }
}
