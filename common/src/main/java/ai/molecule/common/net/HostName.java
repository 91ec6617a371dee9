package ai.molecule.common.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this machine, container or pod calls itself. */
public final class HostName {

    private static final Path OF_LINUX = Path.of("/proc/sys/kernel/hostname");

    private HostName() {}

    /** {@code HOSTNAME}, which shells seldom export, else what the system says. */
    public static String ofThisMachine() {
        String exported = System.getenv().getOrDefault("HOSTNAME", "").strip();
        return exported.isEmpty() ? ofTheSystem() : exported;
    }

    private static String ofTheSystem() {
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
