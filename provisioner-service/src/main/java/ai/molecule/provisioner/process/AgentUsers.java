package ai.molecule.provisioner.process;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import org.jspecify.annotations.Nullable;

/**
 * A user for each agent, where root sets some aside: {@code first} plus the agent's port, which no two workspaces share. What the
 * agent works with becomes its own; the folders above let it pass and show it nothing.
 *
 * @param first null when agents are to be the platform's own user
 */
record AgentUsers(@Nullable Integer first) {

    @Nullable
    Integer of(int port) {
        return first == null ? null : first + port;
    }

    /** Its agent must not run: it could put links where files were. */
    static void give(AgentFolder folder, int uid) throws IOException {
        Path root = folder.root().toAbsolutePath();
        for (Path passed : new Path[] {root, root.resolve(".."), root.resolve("../..")}) {
            letPass(passed.normalize());
        }
        for (Path own : new Path[] {folder.configs(), folder.workspace(), folder.plugins(), folder.handover()}) {
            Files.walkFileTree(own, new Giving(uid));
        }
    }

    private static void letPass(Path folder) throws IOException {
        var permissions = Files.getPosixFilePermissions(folder);
        if (permissions.add(PosixFilePermission.OTHERS_EXECUTE)) {
            Files.setPosixFilePermissions(folder, permissions);
        }
    }

    private static final class Giving extends SimpleFileVisitor<Path> {

        private final int uid;

        Giving(int uid) {
            this.uid = uid;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
            return give(folder);
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            return give(file);
        }

        private FileVisitResult give(Path path) throws IOException {
            Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", uid, LinkOption.NOFOLLOW_LINKS);
            return FileVisitResult.CONTINUE;
        }
    }
}
