package ai.molecule.runtime.processes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.function.LongBinaryOperator;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A control group of Linux that holds how many processes and threads a program may start: for root, whom no limit of processes holds otherwise.
 * All that is left in it ends with it.
 */
public final class ProcessGroup implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(ProcessGroup.class);
    private static final Path GROUPS = Path.of("/sys/fs/cgroup");
    private static final String NAME = "molecule-run-";
    private static final Duration LEFT_AFTER = Duration.ofHours(1); // what still runs in it then stays
    private static final int ROUNDS_MAX = 50;
    private static final long PAUSE_MILLIS = 20;

    private final Path folder;

    private ProcessGroup(Path folder) {
        this.folder = folder;
    }

    /** Whether the agent is the machine's root, or a container's. */
    public static boolean isNeeded() {
        try {
            return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException notThisSystem) {
            return false;
        }
    }

    /** How many more processes and threads there may be in the agent's own group, with all it started; empty where nothing holds that. */
    public static OptionalInt room() {
        return places().stream()
                .flatMapToInt(place -> held(place, (most, now) -> most - now))
                .min();
    }

    /** How many there are in it; empty where nothing holds that. */
    static OptionalInt taken() {
        return places().stream()
                .flatMapToInt(place -> held(place, (most, now) -> now))
                .min();
    }

    private static IntStream held(Path place, LongBinaryOperator figure) {
        try {
            long most =
                    Long.parseLong(Files.readString(place.resolve("pids.max")).strip());
            long now = Long.parseLong(
                    Files.readString(place.resolve("pids.current")).strip());
            return IntStream.of(Math.clamp(figure.applyAsLong(most, now), 0, Integer.MAX_VALUE));
        } catch (IOException | NumberFormatException notHeldHere) {
            return IntStream.empty();
        }
    }

    /** Empty where the system lets the agent make none. */
    static Optional<ProcessGroup> make(int processesMax) {
        for (Path place : places()) {
            sweep(place);
            Path folder = place.resolve(NAME + UUID.randomUUID());
            try {
                Files.createDirectory(folder);
                try {
                    Files.writeString(folder.resolve("pids.max"), String.valueOf(processesMax));
                    return Optional.of(new ProcessGroup(folder));
                } catch (IOException notThisOne) {
                    Files.delete(folder);
                }
            } catch (IOException notHere) {
                // the next place
            }
        }
        return Optional.empty();
    }

    /** Takes away what agents that were killed have left, once nothing runs in it. */
    private static void sweep(Path place) {
        try (var old = Files.newDirectoryStream(place, NAME + "*")) {
            for (Path group : old) {
                if (Files.getLastModifiedTime(group)
                        .toInstant()
                        .isBefore(Instant.now().minus(LEFT_AFTER))) {
                    Files.delete(group); // fails while something runs in it
                }
            }
        } catch (IOException notNow) {
            LOGGER.atDebug().setCause(notNow).log("a group of processes is left where it is");
        }
    }

    /** The words that run a command in it. */
    List<String> around(List<String> command) {
        List<String> words = new ArrayList<>(List.of(
                "/bin/sh",
                "-c",
                "echo $$ > \"$0\" && exec \"$@\"",
                folder.resolve("cgroup.procs").toString()));
        words.addAll(command);
        return words;
    }

    /** Ends what is left in it. Returns within a second or so. */
    @Override
    public void close() {
        try {
            Files.writeString(folder.resolve("pids.max"), "0"); // or it starts as many as are ended
        } catch (IOException gone) {
            LOGGER.atDebug().setCause(gone).log("a group of processes is closed already");
        }
        for (int round = 0; round < ROUNDS_MAX; round++) {
            try {
                for (String process : Files.readAllLines(folder.resolve("cgroup.procs"))) {
                    ProcessHandle.of(Long.parseLong(process)).ifPresent(ProcessHandle::destroyForcibly);
                }
                Files.delete(folder);
                return;
            } catch (IOException busy) {
                pause();
            }
        }
        LOGGER.atWarn().addKeyValue("group", folder).log("a group of processes cannot be taken away");
    }

    /** The agent's own group first, in the older and the newer way, then the topmost. */
    private static List<Path> places() {
        List<Path> places = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/cgroup"))) {
                String[] parts = line.split(":", 3);
                if (parts.length == 3 && (parts[1].equals("pids") || parts[1].isEmpty())) {
                    Path top = parts[1].isEmpty() ? GROUPS : GROUPS.resolve("pids");
                    places.add(top.resolve(parts[2].substring(1)));
                    places.add(top);
                }
            }
        } catch (IOException notThisSystem) {
            return List.of();
        }
        return places;
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
