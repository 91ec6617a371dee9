package ai.molecule.cli.embedded;

import ai.molecule.cli.process.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A server whose process id lies in a file: recognised by its program, since a process id may have been given away again. */
final class LeftOver {

    private LeftOver() {}

    /**
     * The living process named in the first line of {@code pidFile}, if it runs a program below {@code binaries}, or works in the
     * folder of the file, as a server of the machine's does that we started.
     */
    static Optional<ProcessHandle> find(Path pidFile, Path binaries) {
        try (var lines = Files.lines(pidFile)) {
            return lines.findFirst()
                    .flatMap(line -> ProcessHandle.of(Long.parseLong(line.strip())))
                    .filter(ProcessHandle::isAlive)
                    .filter(process -> runsBelow(binaries, process) || worksBeside(pidFile, process));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static boolean runsBelow(Path binaries, ProcessHandle process) {
        return process.info()
                .command()
                .filter(program -> Path.of(program).startsWith(binaries))
                .isPresent();
    }

    private static boolean worksBeside(Path pidFile, ProcessHandle process) {
        try {
            Path folder = Files.readSymbolicLink(Path.of("/proc", String.valueOf(process.pid()), "cwd"));
            return folder.equals(pidFile.toRealPath().getParent());
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }

    /** Asks with {@code signal}, waits, then kills; false when the process is still there after a further second. */
    static boolean stop(ProcessHandle process, String signal, Duration grace) {
        Commands.signal(signal, process.pid());
        if (gone(process, grace)) {
            return true;
        }
        process.destroyForcibly();
        return gone(process, Duration.ofSeconds(1));
    }

    static boolean gone(ProcessHandle process, Duration within) {
        try {
            process.onExit().get(within.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return !process.isAlive();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !process.isAlive();
        }
    }
}
