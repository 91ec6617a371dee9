package ai.molecule.cli.embedded;

import ai.molecule.cli.LaunchFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for a server that has no way to say it is ready. */
final class Waiting {

    private static final Duration PAUSE = Duration.ofMillis(20);

    private Waiting() {}

    /**
     * Returns as soon as {@code ready} holds.
     *
     * @throws LaunchFailure when the process ends or the time is over; the process is dead then
     */
    static void until(Duration timeout, Process process, BooleanSupplier ready, String name, Path log) {
        long deadline = System.nanoTime() + timeout.toNanos();
        try {
            while (!ready.getAsBoolean()) {
                if (process.waitFor(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw LaunchFailure.broken(name + " ended with exit code " + process.exitValue() + "; its log says:"
                            + LogTail.below(log, 5));
                }
                if (System.nanoTime() - deadline > 0) {
                    process.destroyForcibly();
                    throw LaunchFailure.broken(name + " did not answer within " + timeout.toSeconds()
                            + " s; its log says:" + LogTail.below(log, 5));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
            throw LaunchFailure.broken("Interrupted while waiting for " + name + ".");
        }
    }
}
