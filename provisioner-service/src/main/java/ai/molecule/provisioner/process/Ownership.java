package ai.molecule.provisioner.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Whose the files of an agent are: its own, nobody else's. Everything that enters its folders is created here, and belongs to whom
 * the folder belongs that it enters: us, or where agents are users of their own, the agent.
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

    /** Gives what is still in a folder of ours, with everything below it, to whom a folder belongs. */
    static void giveLike(HeldPath folder, Path ours) throws IOException {
        int uid = ownerOf(folder.path());
        if (uid != ownerOf(ours)) {
            AgentUsers.give(ours, uid);
        }
    }

    /** The same for a folder that was just made in that one, whatever has become of it. */
    static void giveLike(HeldPath folder, HeldPath made) throws IOException {
        int uid = ownerOf(folder.path());
        if (uid != ownerOf(made.path())) {
            Files.setAttribute(made.path(), "unix:gid", uid);
            Files.setAttribute(made.path(), "unix:uid", uid);
        }
    }

    static int ownerOf(Path path) throws IOException {
        return (int) Files.getAttribute(path, "unix:uid");
    }

    private static FileAttribute<Set<PosixFilePermission>> attribute(Set<PosixFilePermission> permissions) {
        return PosixFilePermissions.asFileAttribute(permissions);
    }
}
