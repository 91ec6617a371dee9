package ai.molecule.provisioner.backend;

import io.vertx.core.buffer.Buffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a start lays into the configs of a workspace that has no {@code config.yaml}; whoever has one keeps everything as it is.
 *
 * @param files by path below {@code /configs}, the config among them unless there is none to be had
 * @param missing what to say when it has no config and here is none either; null when here is one
 * @param freshSessions whether Claude Code's conversations are to be forgotten first
 */
public record InitialFiles(
        Map<FilePath, Buffer> files, @Nullable String missing, boolean freshSessions) {

    /** What travels within an object of a cluster, which holds 1 MiB. */
    private static final int TRAVEL_MAX_BYTES = 700 << 10;

    /** Of a tar archive, for each file. */
    private static final int FILE_OVERHEAD_BYTES = 1024;

    public InitialFiles withFreshSessions(boolean wanted) {
        return new InitialFiles(files, missing, wanted);
    }

    public boolean travelLight() {
        return files.values().stream()
                        .mapToLong(content -> content.length() + FILE_OVERHEAD_BYTES)
                        .sum()
                <= TRAVEL_MAX_BYTES;
    }
}
