package ai.molecule.provisioner.testing;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.process.AgentMark;
import java.util.UUID;
import java.util.stream.Stream;

/** The processes of this machine, as tests look at them. */
public final class Processes {

    private Processes() {}

    public static Stream<ProcessHandle> marked(UUID workspaceId) {
        String mark = AgentMark.workspaceArgument(workspaceId);
        return ProcessHandle.allProcesses()
                .filter(handle -> carries(handle, mark))
                .filter(handle -> handle.parent()
                        .filter(parent -> carries(parent, mark))
                        .isEmpty()); // a fork about to become another
    }

    private static boolean carries(ProcessHandle handle, String mark) {
        return handle.info().commandLine().filter(line -> line.contains(mark)).isPresent();
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
