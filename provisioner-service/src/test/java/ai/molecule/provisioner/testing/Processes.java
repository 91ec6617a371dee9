package ai.molecule.provisioner.testing;

import static org.awaitility.Awaitility.await;

import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.process.AgentMark;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;

/** The processes of this machine, as tests look at them. */
public final class Processes {

    private Processes() {}

    public static Stream<ProcessHandle> marked(UUID workspaceId) {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> ProcessHandle.current().children().allMatch(Processes::showsItself));
        String mark = AgentMark.workspaceArgument(workspaceId);
        return ProcessHandle.allProcesses()
                .filter(handle -> carries(handle, mark))
                .filter(handle -> handle.parent()
                        .filter(parent -> carries(parent, mark))
                        .isEmpty()); // a fork about to become another
    }

    private static boolean carries(ProcessHandle handle, String mark) {
        try { // of every process of the machine: their other facts would take five times as long
            return Files.readString(Path.of("/proc/%d/cmdline".formatted(handle.pid())), StandardCharsets.ISO_8859_1)
                    .contains(mark);
        } catch (IOException gone) {
            return handle.info()
                    .commandLine()
                    .filter(line -> line.contains(mark))
                    .isPresent();
        }
    }

    /** A process has no command line for a moment when it becomes another program, as agents do on their way to the agent. */
    private static boolean showsItself(ProcessHandle process) {
        return process.info().commandLine().isPresent() || !process.isAlive();
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
