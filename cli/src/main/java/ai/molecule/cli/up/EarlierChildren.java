package ai.molecule.cli.up;

import ai.molecule.cli.data.PidFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Services of an earlier run that nobody stopped: because their watchdog was killed too, or because only the JVM that kept them ended. */
final class EarlierChildren {

    private static final Duration GRACE = Duration.ofSeconds(5);

    private EarlierChildren() {}

    /** Asks every recorded process that still lives to end and waits for it, kills it after 5 s, and empties the folder. */
    static void stop(Path pids) throws IOException {
        try (var files = Files.newDirectoryStream(pids)) {
            for (Path file : files) {
                var pidFile = new PidFile(file);
                pidFile.living().ifPresent(EarlierChildren::end);
                pidFile.delete();
            }
        }
    }

    private static void end(ProcessHandle process) {
        process.destroy();
        try {
            process.onExit().get(GRACE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
