package ai.molecule.common.workspaces;

import java.nio.file.Path;
import java.util.List;

/** Which folders of a machine its owner may lend an agent (registry contract, 5.9). */
public final class LentFolder {

    private static final List<String> OF_THE_SYSTEM =
            List.of("/etc", "/var", "/proc", "/sys", "/dev", "/boot", "/sbin", "/bin", "/lib", "/run", "/usr");

    private LentFolder() {}

    /** An absolute one that climbs nowhere, is none of the system's own, however it is written, and does not hold them all. */
    public static boolean isAllowed(String folder) {
        if (!folder.startsWith("/") || folder.contains("..") || folder.indexOf('\0') >= 0) {
            return false;
        }
        var plain = Path.of(folder).normalize(); // two slashes or a dot are none to who opens it
        return plain.getNameCount() > 0 && OF_THE_SYSTEM.stream().noneMatch(plain::startsWith);
    }
}
