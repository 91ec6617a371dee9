package ai.molecule.provisioner.testing;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.process.AgentCommand;
import java.util.UUID;
import java.util.stream.Stream;

/** The processes of this machine, as tests look at them. */
public final class Processes {

    private Processes() {}

    public static Stream<ProcessHandle> marked(UUID workspaceId) {
        String mark = AgentCommand.markOf(workspaceId);
        return ProcessHandle.allProcesses()
                .filter(handle -> handle.info()
                        .commandLine()
                        .filter(line -> line.contains(mark))
                        .isPresent());
    }

    public static void kill(UUID workspaceId) {
        marked(workspaceId).forEach(ProcessHandle::destroyForcibly);
    }

    public static void kill(AgentProcess process) {
        kill(Long.parseLong(process.id()));
    }

    public static boolean alive(AgentProcess process) {
        return alive(Long.parseLong(process.id()));
    }

    public static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    /** One that ended but was not collected yet still has its pid, but no command any more. */
    public static boolean alive(long pid) {
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .flatMap(handle -> handle.info().command())
                .isPresent();
    }
}
