package ai.molecule.cli.process;

import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.PidFile;
import ai.molecule.cli.data.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small shell that outlives the launcher. When the lifeline ends it stops the servers and then everything whose process id is
 * recorded in the data folder; see {@code watchdog.sh}. The launcher's own stop takes the same way, so it is used every day.
 */
public final class Watchdog implements AutoCloseable {

    /** What the shell leaves the processes before it kills them, plus a second to see them gone. */
    public static final Duration STOPS_WITHIN = Duration.ofMillis(6500);

    private static final Logger LOGGER = LoggerFactory.getLogger(Watchdog.class);
    private static final String SCRIPT = script();

    private final DataFolder data;
    private final Lifeline lifeline;
    private volatile boolean stopping;
    private volatile Process process;

    private Watchdog(DataFolder data, Lifeline lifeline) throws IOException {
        this.data = data;
        this.lifeline = lifeline;
        this.process = launch(lifeline.asInput());
    }

    /**
     * Starts the shell, and starts it again should somebody end it. That of an earlier JVM of the same launcher ends when this one is there: until
     * then it is the one that stops what runs.
     */
    public static Watchdog start(DataFolder data, Lifeline lifeline) throws IOException {
        var earlier = pidFile(data).living();
        PrivateFiles.write(data.root().resolve("watchdog.sh"), SCRIPT);
        var watchdog = new Watchdog(data, lifeline);
        watchdog.keep();
        if (lifeline.isShared()) {
            earlier.ifPresent(ProcessHandle::destroyForcibly);
        }
        return watchdog;
    }

    /** Waits, bounded, for the watchdog of an earlier run of this folder to finish its work. */
    public static void awaitEarlier(DataFolder data) {
        pidFile(data).living().ifPresent(earlier -> waitFor(earlier));
    }

    private static void waitFor(ProcessHandle earlier) {
        try {
            earlier.onExit().get(STOPS_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOGGER.atWarn().addKeyValue("pid", earlier.pid()).log("an earlier watchdog is still there");
        }
    }

    private void keep() {
        process.onExit().thenRun(() -> {
            if (stopping) {
                return;
            }
            try {
                process = launch(lifeline.asInput());
                LOGGER.warn("the watchdog ended and was started again");
                keep();
            } catch (IOException e) {
                LOGGER.atError().setCause(e).log("the watchdog ended and cannot be started again");
            }
        });
    }

    private Process launch(ProcessBuilder.Redirect input) throws IOException {
        var command = new ArrayList<>(Commands.ownSession());
        command.addAll(List.of(
                "sh", data.root().resolve("watchdog.sh").toString(), data.root().toString()));
        var log = ProcessBuilder.Redirect.appendTo(data.log("watchdog").toFile());
        var started = new ProcessBuilder(command)
                .directory(data.root().toFile())
                .redirectInput(input)
                .redirectOutput(log)
                .redirectError(log)
                .start();
        pidFile(data).write(started.pid());
        return started;
    }

    private static PidFile pidFile(DataFolder data) {
        return new PidFile(data.root().resolve("watchdog.pid"));
    }

    public long pid() {
        return process.pid();
    }

    /** To be told before the lifeline closes: from now on the shell's end is what should happen. */
    public void expectEnd() {
        stopping = true;
    }

    /**
     * Waits until everything recorded is gone. The lifeline must be closed. A shell that was killed, or waits for the end of a lifeline that is
     * shared, is replaced by a last one.
     */
    @Override
    public void close() throws IOException {
        stopping = true;
        if (lifeline.isShared()) {
            process.destroyForcibly().onExit().join(); // nothing withstands that signal
        }
        if (!process.isAlive() && process.exitValue() != 0) {
            process = launch(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")));
        }
        try {
            if (!process.waitFor(STOPS_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pidFile(data).delete();
    }

    private static String script() {
        try (var text = Watchdog.class.getResourceAsStream("watchdog.sh")) {
            if (text == null) {
                throw new IllegalStateException("watchdog.sh is missing from the class path");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
