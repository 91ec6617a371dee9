package ai.molecule.runtime.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * How many processes and threads a program may have that an agent starts. The agent is in the same group as what it starts, on most machines: a
 * program that fills it would leave none for the agent, so some are kept back.
 *
 * @param left how many more the agent's group holds now; empty where nothing holds them
 */
public record ProcessRoom(Supplier<OptionalInt> left) {

    /** Where there is room for more. */
    public static final int MOST = 1024;

    /** For the agent, which has about 30 and begins some for each message. */
    public static final int KEPT_BACK = 64;

    /** A shell with a program or two. */
    static final int LEAST = 16;

    private static final Path PROCESSES = Path.of("/proc");

    public static ProcessRoom ofThisAgent() {
        return new ProcessRoom(ProcessGroup::room);
    }

    /** For a command that comes to its end; empty when there is too little for any. */
    public OptionalInt forOne() {
        return share(1);
    }

    /** For a program that stays, beside others and commands; empty when there is too little for any. */
    public OptionalInt forOneThatStays() {
        return share(2);
    }

    private OptionalInt share(int parts) {
        int most = Math.min(MOST, (left.get().orElse(Integer.MAX_VALUE) - KEPT_BACK) / parts);
        return most < LEAST ? OptionalInt.empty() : OptionalInt.of(most);
    }

    /** Whether what runs has taken what is kept back for the agent. */
    public boolean isTaken() {
        return left.get().orElse(Integer.MAX_VALUE) < KEPT_BACK / 2;
    }

    /** Threads of the agent's user that can be seen, which a limit of processes counts as well. */
    static int usedByItsUser() {
        int threads = 0;
        try (var entries = Files.newDirectoryStream(PROCESSES, "[0-9]*")) {
            Object user = Files.getAttribute(PROCESSES.resolve("self"), "unix:uid");
            for (Path process : entries) {
                threads += Objects.equals(userOf(process), user) ? threadsOf(process) : 0;
            }
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException notThisSystem) {
            return threads;
        }
        return threads;
    }

    private static Object userOf(Path process) {
        try {
            return Files.getAttribute(process, "unix:uid");
        } catch (IOException gone) {
            return List.of(); // nobody's
        }
    }

    private static int threadsOf(Path process) {
        try (var lines = Files.lines(process.resolve("status"))) {
            return lines.filter(line -> line.startsWith("Threads:"))
                    .mapToInt(line -> Integer.parseInt(line.substring(8).strip()))
                    .findFirst()
                    .orElse(0);
        } catch (IOException | UncheckedIOException | NumberFormatException gone) {
            return 0;
        }
    }
}
