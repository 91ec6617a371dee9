package ai.molecule.cli.process;

import ai.molecule.cli.data.PidFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * A child process that is meant to run for ever: started again when it ends, recorded on disk while it lives. Everything
 * happens under one lock, so a stop never races with a restart.
 */
public final class Supervised implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(Supervised.class);

    /** Starts the process; called again for every restart. */
    public interface Starter {
        Process start() throws IOException;
    }

    private final String name;
    private final Starter starter;
    private final PidFile pidFile;
    private final RestartPolicy policy;
    private final OutageNotice notice;
    private final Runnable afterRestart;
    private Process process;
    private long startedNanos;
    private int endsInARow;
    private boolean stopping;

    /** @param afterRestart told after every restart, not after the first start */
    public Supervised(
            String name,
            Starter starter,
            PidFile pidFile,
            RestartPolicy policy,
            OutageNotice notice,
            Runnable afterRestart)
            throws IOException {
        this.name = name;
        this.starter = starter;
        this.pidFile = pidFile;
        this.policy = policy;
        this.notice = notice;
        this.afterRestart = afterRestart;
        this.process = starter.start();
        watch();
    }

    private synchronized void watch() {
        startedNanos = System.nanoTime();
        process.onExit().thenAccept(this::ended);
        pidFile.write(process.pid());
    }

    private synchronized void ended(Process dead) {
        if (stopping || dead.pid() != process.pid()) {
            return;
        }
        endsInARow = policy.count(endsInARow, Duration.ofNanos(System.nanoTime() - startedNanos));
        pidFile.delete(); // the number may soon be somebody else's
        again(LOGGER.atWarn().addKeyValue("exitCode", dead.exitValue()), "service ended");
    }

    private void again(LoggingEventBuilder why, String what) {
        long pauseMs = policy.pause(endsInARow).toMillis();
        why.addKeyValue("service", name).addKeyValue("pauseMs", pauseMs).log(what + ", starting it again");
        notice.endedOnceMore(endsInARow);
        CompletableFuture.delayedExecutor(pauseMs, TimeUnit.MILLISECONDS).execute(this::restart);
    }

    private void restart() {
        synchronized (this) {
            if (stopping) {
                return;
            }
            try {
                process = starter.start();
            } catch (IOException e) {
                endsInARow++;
                again(LOGGER.atError().setCause(e), "service could not be started");
                return;
            }
            try {
                watch();
            } catch (UncheckedIOException e) { // a full disk, say: it runs and is watched all the same
                LOGGER.atWarn().setCause(e).addKeyValue("service", name).log("its process id could not be recorded");
            }
            var started = process;
            notice.started(started::isAlive);
        }
        afterRestart.run();
    }

    public synchronized long pid() {
        return process.pid();
    }

    /** How often it ended without a stable minute in between. */
    public synchronized int endsInARow() {
        return endsInARow;
    }

    public synchronized boolean isAlive() {
        return process.isAlive();
    }

    /** Asks the process to end and starts it no more. Returns at once; {@link #close} waits. */
    public synchronized void ask() {
        stopping = true;
        process.destroy();
    }

    /** Asks the process to end, waits up to 3 s, then kills it. */
    @Override
    public void close() {
        ask();
        try {
            if (!process.waitFor(3, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(1, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
        pidFile.delete();
    }
}
