package ai.molecule.common.net;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Ports of this machine that a process of this user has chosen and that nobody may listen on yet. Each is a lock on one byte of a file
 * in the folder for temporary files, which the system takes back when the process ends: several platforms, and tests that run beside
 * each other, choose among thousands of ports, each a few seconds before it is listened on. Where there are no such locks all is as if
 * nobody else chose.
 */
public final class PortClaims {

    /** Of one process; the eldest is let go for the next, long after somebody listened there. */
    private static final int HELD_MAX = 1_000;

    private static final Map<Integer, FileLock> HELD = new LinkedHashMap<>();

    /** Never closed: with any descriptor of the file all the process's locks on it go. */
    private static final @Nullable FileChannel FILE = open(
            Path.of(System.getProperty("java.io.tmpdir"), "molecule-ports-" + System.getProperty("user.name")),
            System.getProperty("user.name"));

    private PortClaims() {}

    /** False while another process holds it; true again for who has it. */
    public static synchronized boolean claim(int port) {
        if (FILE == null || HELD.containsKey(port)) {
            return true;
        }
        try {
            var lock = FILE.tryLock(port, 1, false);
            if (lock == null) {
                return false;
            }
            HELD.put(port, lock);
            if (HELD.size() > HELD_MAX) {
                var eldest = HELD.entrySet().iterator();
                eldest.next().getValue().release();
                eldest.remove();
            }
            return true;
        } catch (IOException | OverlappingFileLockException noLocks) {
            return true;
        }
    }

    /** Null without such locks, and for a file that another user laid there: who may lock all of it would leave us no port. */
    static @Nullable FileChannel open(Path file, String user) {
        try {
            var opened = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            if (Files.getOwner(file, LinkOption.NOFOLLOW_LINKS).getName().equals(user)) {
                return opened;
            }
            opened.close();
            return null;
        } catch (IOException | UnsupportedOperationException | SecurityException noLocksHere) {
            return null;
        }
    }
}
