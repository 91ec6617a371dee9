package ai.molecule.provisioner.process;

import ai.molecule.common.net.Listeners;
import ai.molecule.provisioner.backend.FreePorts;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A user for each agent, where root sets some aside: {@code first} plus the agent's port, which no two workspaces share. What the
 * agent works with becomes its own; the folders above let it pass and show it nothing.
 *
 * @param first null when agents are to be the platform's own user
 */
record AgentUsers(@Nullable Integer first) {

    /** As many ports no program listens at that does not mean to. */
    private static final int HOARDED_MIN = 100;

    @Nullable
    Integer of(int port) {
        return first == null ? null : first + port;
    }

    /** Which agent listens at most of these ports, as the end of a sentence that says that none is free; empty where none stands out. */
    String hoarder(FreePorts ports) {
        return Listeners.most(ports.first(), ports.last())
                .filter(most -> most.ports() >= HOARDED_MIN)
                .map(most -> told(most, ports))
                .orElse("");
    }

    private String told(Listeners.Most most, FreePorts ports) {
        long port = first == null ? -1 : most.uid() - first;
        return port < ports.first() || port > ports.last()
                ? ""
                : "; the agent at port %d (user %d) listens at %,d of them: quarantine it"
                        .formatted(port, most.uid(), most.ports());
    }

    /** Whose users own the folder of an agent, recorded or not: whoever is given one of these ports could read it. */
    Set<Integer> portsOfFolders(Path data) throws IOException {
        Set<Integer> ports = new HashSet<>();
        if (first != null) {
            for (UUID workspaceId : AgentFolder.allBelow(data)) {
                int uid = Leftovers.ownUid(AgentFolder.of(data, workspaceId));
                if (uid >= first) {
                    ports.add(uid - first);
                }
            }
        }
        return ports;
    }

    /** Its agent must not run: it could put links where files were. */
    static void give(AgentFolder folder, int uid) throws IOException {
        Path root = folder.root().toAbsolutePath();
        for (Path passed : new Path[] {root, root.resolve(".."), root.resolve("../..")}) {
            letPass(passed.normalize());
        }
        giveOwn(folder, uid);
    }

    /** After a start under {@link #give}, for one as our own user: without capabilities even root reads nobody else's files. */
    static void takeBack(AgentFolder folder) throws IOException {
        int us = Ownership.ownerOf(folder.root());
        if (us != Ownership.ownerOf(folder.configs())) {
            giveOwn(folder, us);
        }
    }

    private static void giveOwn(AgentFolder folder, int uid) throws IOException {
        for (Path own : new Path[] {folder.configs(), folder.workspace(), folder.plugins(), folder.handover()}) {
            give(own, uid);
        }
    }

    static void give(Path whole, int uid) throws IOException {
        Files.walkFileTree(whole, new Giving(uid));
    }

    static void letPass(Path folder) throws IOException {
        var permissions = Files.getPosixFilePermissions(folder);
        if (permissions.add(PosixFilePermission.OTHERS_EXECUTE)) {
            Files.setPosixFilePermissions(folder, permissions);
        }
    }

    /** Below are the machine's own users and people, above are agents. */
    private static final int FIRST_GIVEN_UID = 65_536;

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
            return isAnothersToo(file) ? FileVisitResult.CONTINUE : give(file);
        }

        /** An agent may have linked a file of the machine to a name of its own: it does not get that by it. */
        private boolean isAnothersToo(Path file) throws IOException {
            return (int) Files.getAttribute(file, "unix:nlink", LinkOption.NOFOLLOW_LINKS) > 1
                    && (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS) < FIRST_GIVEN_UID;
        }

        private FileVisitResult give(Path path) throws IOException {
            Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:gid", uid, LinkOption.NOFOLLOW_LINKS);
            return FileVisitResult.CONTINUE;
        }
    }
}
