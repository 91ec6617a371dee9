package ai.molecule.common.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** What this machine, container or pod calls itself. */
public final class HostName {

    private static final Path OF_LINUX = Path.of("/proc/sys/kernel/hostname");

    private static final Set<String> LOOPBACK = Set.of("", "127.0.0.1", "localhost", "::1");

    private HostName() {}

    /**
     * What tells this replica's machine from those of the others: {@code HOSTNAME}, which containers and pods have and shells seldom export, else
     * the address by which members of the cluster know it, else what the system says.
     */
    public static String ofReplica(Map<String, String> environment) {
        String exported = environment.getOrDefault("HOSTNAME", "").strip();
        String member = environment.getOrDefault("MOLECULE_CLUSTER_HOST", "").strip();
        return !exported.isEmpty() ? exported : LOOPBACK.contains(member) ? ofThisMachine() : member;
    }

    /** As the system says. */
    public static String ofThisMachine() {
        try {
            return Files.readString(OF_LINUX).strip();
        } catch (IOException notLinux) {
            try {
                return InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException nameless) {
                return "localhost";
            }
        }
    }
}
