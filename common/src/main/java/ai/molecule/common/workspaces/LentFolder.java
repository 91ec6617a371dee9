package ai.molecule.common.workspaces;

import java.util.List;

/** Which folders of a machine its owner may lend an agent (registry contract, 5.9). */
public final class LentFolder {

    private static final List<String> OF_THE_SYSTEM =
            List.of("/etc", "/var", "/proc", "/sys", "/dev", "/boot", "/sbin", "/bin", "/lib", "/usr");

    private LentFolder() {}

    /** An absolute one that climbs nowhere and is none of the system's own. */
    public static boolean isAllowed(String folder) {
        boolean system = OF_THE_SYSTEM.stream().anyMatch(root -> folder.equals(root) || folder.startsWith(root + "/"));
        return folder.startsWith("/") && !folder.contains("..") && !system;
    }
}
