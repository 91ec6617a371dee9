package ai.molecule.provisioner.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Whose the files of an agent are: its own, nobody else's. An agent runs as our user, so they need no other owner; everything that
 * enters its folders is created here.
 */
final class Ownership {

    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> FOLDER = PosixFilePermissions.fromString("rwx------");

    private Ownership() {}

    static Path createFile(Path path) throws IOException {
        return Files.createFile(path, attribute(FILE));
    }

    static Path createFolder(Path path) throws IOException {
        return Files.createDirectory(path, attribute(FOLDER));
    }

    /** Lets the owner run a file, or look into and empty a folder that its agent closed. */
    static void open(Path path) throws IOException {
        Files.setPosixFilePermissions(path, FOLDER);
    }

    private static FileAttribute<Set<PosixFilePermission>> attribute(Set<PosixFilePermission> permissions) {
        return PosixFilePermissions.asFileAttribute(permissions);
    }
}
