package ai.molecule.cli.data;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The process id of one child, on disk for the watchdog and for the next start.
 *
 * @param path the file; it need not exist
 */
public record PidFile(Path path) {

    /** How much younger than its file a process may look: start times are rounded to clock ticks. */
    private static final Duration ROUNDING = Duration.ofSeconds(1);

    public void write(long pid) {
        try {
            PrivateFiles.write(path, Long.toString(pid));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public void delete() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The process this file was written for, if it still lives. One that started after the file was written only inherited
     * the number.
     */
    public Optional<ProcessHandle> living() {
        try {
            long pid = Long.parseLong(
                    Files.readString(path).lines().findFirst().orElse("").strip());
            Instant written = Files.getLastModifiedTime(path).toInstant();
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .filter(process -> process.info()
                            .startInstant()
                            .map(start -> start.isBefore(written.plus(ROUNDING)))
                            .orElse(true));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }
}
