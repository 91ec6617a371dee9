package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.AgentProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Finds processes by pid and start time, so that a recycled pid is never taken for the process that had it before. */
final class LiveProcess {

    /** Linux derives start times from a boot time in whole seconds, which may differ by one between two of our own starts. */
    private static final Duration START_TOLERANCE = Duration.ofSeconds(2);

    private LiveProcess() {}

    static Optional<ProcessHandle> find(AgentProcess process) {
        return ProcessHandle.of(Long.parseLong(process.id()))
                .filter(LiveProcess::runs)
                .filter(handle -> of(handle)
                        .filter(found -> Duration.between(found.startedAt(), process.startedAt())
                                        .abs()
                                        .compareTo(START_TOLERANCE)
                                <= 0)
                        .isPresent());
    }

    /** The workspace's live process. Looks at every process of the machine. */
    static Optional<AgentProcess> find(AgentMark mark) {
        return Optional.ofNullable(findAll(mark.platform()).get(mark.workspaceId()));
    }

    /** A platform's live processes by the workspace that their command line names. Looks at every process of the machine. */
    static Map<UUID, AgentProcess> findAll(UUID platform) {
        Map<UUID, AgentProcess> found = new HashMap<>();
        ProcessHandle.allProcesses()
                .forEach(handle -> commandLine(handle.pid())
                        .flatMap(AgentMark::in)
                        .filter(mark -> mark.platform().equals(platform) && runs(handle))
                        .ifPresent(mark -> of(handle)
                                .ifPresent(process -> found.merge(mark.workspaceId(), process, LiveProcess::elder))));
        return found;
    }

    /** Of /proc where there is one: {@link ProcessHandle#info} reads five times as much, for every process of the machine. */
    static Optional<String> commandLine(long pid) {
        var proc = Path.of("/proc", String.valueOf(pid), "cmdline");
        try {
            return Optional.of(
                    Files.readString(proc, StandardCharsets.ISO_8859_1).replace('\0', ' '));
        } catch (IOException gone) {
            return ProcessHandle.of(pid).flatMap(handle -> handle.info().commandLine());
        }
    }

    /** A process that is about to run another program has its parent's command line for a moment. */
    private static AgentProcess elder(AgentProcess one, AgentProcess other) {
        return one.startedAt().isAfter(other.startedAt()) ? other : one;
    }

    static AgentProcess named(long pid, Instant startedAt) {
        return new AgentProcess(String.valueOf(pid), startedAt);
    }

    /** Empty when the process has gone and nothing about it is known any more. */
    static Optional<AgentProcess> of(ProcessHandle handle) {
        return handle.info().startInstant().map(startedAt -> named(handle.pid(), startedAt));
    }

    /** A process that ended but was not collected by its parent still has its pid; it does not run. */
    static boolean runs(ProcessHandle handle) {
        return handle.isAlive() && !isZombie(handle.pid());
    }

    private static boolean isZombie(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"), StandardCharsets.ISO_8859_1);
            int state = stat.lastIndexOf(')') + 2; // the name before it may hold anything
            return state < stat.length() && (stat.charAt(state) == 'Z' || stat.charAt(state) == 'X');
        } catch (IOException noProc) {
            return false;
        }
    }

    /** For a child that may have ended already; as exact as the database keeps it. */
    static Instant startOrNow(ProcessHandle handle) {
        return handle.info().startInstant().orElseGet(() -> Instant.now().truncatedTo(ChronoUnit.MILLIS));
    }
}
