package ai.molecule.cli.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Small commands of the system, each with a bound on how long it may take. */
public final class Commands {

    private static final Duration SIGNAL_TIMEOUT = Duration.ofSeconds(2);

    private Commands() {}

    /** Whether the command can be started and ends with 0 in time. Its output is thrown away. */
    public static boolean succeeds(Duration timeout, List<String> prefix, String... command) {
        var words = new ArrayList<>(prefix);
        words.addAll(List.of(command));
        try {
            var process = new ProcessBuilder(words)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                return process.exitValue() == 0;
            }
            process.destroyForcibly();
        } catch (IOException e) {
            // not installed: the same answer
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /** Sends a signal by its name. A shell does it, because {@code kill} is built into every one and not always a program. */
    public static boolean signal(String name, long pid) {
        return succeeds(SIGNAL_TIMEOUT, List.of("sh", "-c", "kill -" + name + " " + pid));
    }

    /** The program's place on PATH. */
    public static Optional<Path> onPath(String program) {
        String path = System.getenv().getOrDefault("PATH", "");
        for (String folder : path.split(":", -1)) {
            Path candidate = Path.of(folder.isEmpty() ? "." : folder, program);
            if (Files.isExecutable(candidate)) {
                return Optional.of(candidate);
            }
        }
        return Optional.empty();
    }

    /**
     * Words that start what follows in a session of its own, so that Ctrl-C in the terminal reaches the launcher alone and it
     * can stop everything in order. They replace themselves by the command: the process id stays the same. Without
     * {@code setsid} and {@code perl} the list is empty and Ctrl-C reaches everybody at once, which also ends.
     */
    public static List<String> ownSession() {
        if (onPath("setsid").isPresent()) {
            return List.of("setsid");
        }
        if (onPath("perl").isPresent()) {
            return List.of("perl", "-MPOSIX", "-e", "POSIX::setsid(); exec @ARGV", "--");
        }
        return List.of();
    }
}
