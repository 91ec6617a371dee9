package ai.molecule.cli.data;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.Set;

/** Files and folders nobody but their owner can read, from their first moment on. */
public final class PrivateFiles {

    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");

    private PrivateFiles() {}

    private static final Set<PosixFilePermission> LETS_OTHERS_LOOK = PosixFilePermissions.fromString("---rw-rw-");

    /**
     * Makes the folder with mode 0700, or closes an existing one to others. One that others may only pass through (0711) stays:
     * a server running as another user needs the way.
     */
    public static void createFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(FOLDER));
        } else if (!Collections.disjoint(Files.getPosixFilePermissions(folder), LETS_OTHERS_LOOK)) {
            Files.setPosixFilePermissions(folder, FOLDER);
        }
    }

    /** Replaces the file as a whole, mode 0600: a reader sees the old content or the new one. */
    public static void write(Path file, String content) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        Files.createFile(fresh, PosixFilePermissions.asFileAttribute(FILE));
        Files.writeString(fresh, content, StandardOpenOption.WRITE);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The same, on disk when it returns: what is sealed with a key that a power cut took away is lost. */
    static void writeDurably(Path file, String content) throws IOException {
        write(file, content);
        Path folder = file.toAbsolutePath().getParent();
        for (Path each : folder == null ? new Path[] {file} : new Path[] {file, folder}) {
            try (var channel = FileChannel.open(each, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    /** What went wrong, in words for a user; a bare path in the message is the JDK's way of saying it. */
    public static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> "permission denied: " + denied.getFile();
            case FileAlreadyExistsException exists -> exists.getFile() + " is not a folder";
            default -> String.valueOf(e.getMessage());
        };
    }
}
