package ai.molecule.common.net;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a process of this machine was started with, as Linux tells: what agents start carries what its agent had. */
public final class ProcessEnvironment {

    private static final int ENVIRONMENT_MAX_BYTES = 1 << 20;

    private ProcessEnvironment() {}

    /** @param variable {@code NAME=value}; false for a process that is gone or another user's, and where nobody can tell */
    public static boolean holds(long pid, String variable) {
        try (var in = Files.newInputStream(Path.of("/proc", String.valueOf(pid), "environ"))) {
            var environment =
                    "\0" + new String(in.readNBytes(ENVIRONMENT_MAX_BYTES), StandardCharsets.ISO_8859_1) + "\0";
            String written = new String(variable.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
            return environment.contains("\0" + written + "\0");
        } catch (IOException goneOrAnothers) {
            return false;
        }
    }
}
