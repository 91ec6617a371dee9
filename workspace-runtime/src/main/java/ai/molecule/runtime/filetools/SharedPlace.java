package ai.molecule.runtime.filetools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashSet;
import java.util.Set;

/** A folder of the platform's own in one that several agents may share, each of which may be a user of its own: who writes in the one writes in the other. */
final class SharedPlace {

    private SharedPlace() {}

    /**
     * Makes it.
     *
     * @throws IOException when it is a link
     */
    static Path in(Path root, String place) throws IOException {
        Path folder = root.resolve(place);
        if (!Files.isDirectory(folder)) {
            Files.setPosixFilePermissions(Files.createDirectories(folder), Files.getPosixFilePermissions(root));
        }
        return requireOwn(root, place);
    }

    /** @throws IOException when it is a link, or not there */
    static Path requireOwn(Path root, String place) throws IOException {
        Path folder = root.resolve(place);
        if (!folder.toRealPath().equals(root.toRealPath().resolve(place))) {
            throw new IOException(place + " is a link");
        }
        return folder;
    }

    /** Gives a file in it the rights of the shared folder. */
    static void share(Path root, Path file) throws IOException {
        Set<PosixFilePermission> rights = new HashSet<>(Files.getPosixFilePermissions(root));
        rights.removeIf(right -> right.name().endsWith("_EXECUTE"));
        Files.setPosixFilePermissions(file, rights);
    }
}
