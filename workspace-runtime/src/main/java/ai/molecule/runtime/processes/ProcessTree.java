package ai.molecule.runtime.processes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A program and all it started. Children are followed down from the program; where the system shows the environment of
 * processes, those whose parents are gone are known by the mark they inherited.
 */
public final class ProcessTree {

    private static final Path PROCESSES = Path.of("/proc");
    private static final int ROUNDS_MAX = 500;
    private static final int ROUNDS_AT_ONCE = 5;
    private static final long PAUSE_MILLIS = 10;
    private static final Duration TIME_MAX = Duration.ofSeconds(10);

    private final Process root;
    private final String mark;

    /** @param mark {@code NAME=value} of the program's environment, found in no other */
    public ProcessTree(Process root, String mark) {
        this.root = root;
        this.mark = mark;
    }

    /**
     * Kills all of them; those they start meanwhile are found in the next round, so that what starts others as fast as it can comes to its end as
     * well. Gives up after 10 s.
     */
    public void kill() {
        long begun = System.nanoTime();
        boolean found = true;
        for (int round = 0; found && round < ROUNDS_MAX && System.nanoTime() - begun < TIME_MAX.toNanos(); round++) {
            if (round >= ROUNDS_AT_ONCE) {
                LockSupport.parkNanos(
                        TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS)); // the system buries the dead meanwhile
            }
            found = kill(Stream.concat(root.descendants().toList().stream(), marked()));
            root.toHandle().destroyForcibly(); // leaves what it wrote to be read
        }
    }

    private static boolean kill(Stream<ProcessHandle> processes) {
        return processes.filter(ProcessHandle::destroyForcibly).count() > 0;
    }

    private Stream<ProcessHandle> marked() {
        try (var entries = Files.list(PROCESSES)) {
            return entries
                    .filter(entry -> entry.getFileName().toString().matches("\\d+") && carriesMark(entry))
                    .map(entry ->
                            ProcessHandle.of(Long.parseLong(entry.getFileName().toString())))
                    .flatMap(Optional::stream)
                    .toList()
                    .stream();
        } catch (IOException notThisSystem) {
            return Stream.empty();
        }
    }

    private boolean carriesMark(Path process) {
        try {
            String environment = Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
            return Stream.of(environment.split("\0", -1)).anyMatch(mark::equals);
        } catch (IOException goneOrNotOurs) {
            return false;
        }
    }
}
