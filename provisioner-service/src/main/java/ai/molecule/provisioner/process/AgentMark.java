package ai.molecule.provisioner.process;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Arguments that stand first in an agent's command line, by which a process that was never recorded is found again. Two platforms
 * on one machine never take each other's agents for their own.
 *
 * @param platform made of the data folder's path
 */
public record AgentMark(UUID workspaceId, UUID platform) {

    private static final String ID = "([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f-])";
    private static final Pattern ARGUMENTS =
            Pattern.compile("-Dmolecule\\.workspace=" + ID + " -Dmolecule\\.platform=" + ID);

    static AgentMark of(Path data, UUID workspaceId) {
        return new AgentMark(workspaceId, platformOf(data));
    }

    static UUID platformOf(Path data) {
        return UUID.nameUUIDFromBytes(data.toString().getBytes(StandardCharsets.UTF_8));
    }

    /** The mark a command line carries. */
    static Optional<AgentMark> in(String commandLine) {
        var found = ARGUMENTS.matcher(commandLine);
        return found.find()
                ? Optional.of(new AgentMark(UUID.fromString(found.group(1)), UUID.fromString(found.group(2))))
                : Optional.empty();
    }

    public List<String> arguments() {
        return List.of(workspaceArgument(workspaceId), "-Dmolecule.platform=" + platform);
    }

    /** What no process but this workspace's has. */
    public static String workspaceArgument(UUID workspaceId) {
        return "-Dmolecule.workspace=" + workspaceId;
    }
}
