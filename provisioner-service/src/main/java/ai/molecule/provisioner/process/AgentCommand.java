package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.StartRefused;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The command line of an agent. It carries {@link #markOf}, by which a process that was never recorded is found again. */
@FunctionalInterface
public interface AgentCommand {

    Pattern MARK = Pattern.compile("-Dmolecule\\.workspace=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f-])");

    /** Fails with {@link StartRefused} when there is nothing to run. */
    List<String> of(UUID workspaceId);

    /** An argument that no process but this workspace's has. */
    static String markOf(UUID workspaceId) {
        return "-Dmolecule.workspace=" + workspaceId;
    }

    /** Whose mark a command line carries. */
    static Optional<UUID> workspaceOf(String commandLine) {
        var mark = MARK.matcher(commandLine);
        return mark.find() ? Optional.of(UUID.fromString(mark.group(1))) : Optional.empty();
    }

    /** A small JVM of the Java that runs us. */
    static AgentCommand java(@Nullable Path runtimeJar) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return workspaceId -> {
            if (runtimeJar == null || !Files.isReadable(runtimeJar)) {
                throw new StartRefused(
                        "workspace start failed: the workspace runtime is not installed (MOLECULE_RUNTIME_JAR)");
            }
            return List.of(
                    java,
                    markOf(workspaceId),
                    "-Xmx64m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xshare:auto",
                    "-jar",
                    runtimeJar.toString());
        };
    }
}
