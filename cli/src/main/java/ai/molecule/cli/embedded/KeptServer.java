package ai.molecule.cli.embedded;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.process.OutageNotice;
import ai.molecule.cli.process.RestartPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server that is meant to run as long as the launcher does: one that ends by itself is started again on the same port and data,
 * so whoever was connected to it connects again.
 */
public final class KeptServer implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(KeptServer.class);

    /** Starts the server; called again after every end. The port is the same each time. */
    public interface Starter {
        EmbeddedServer start() throws IOException;
    }

    private final String name;
    private final Starter starter;
    private final RestartPolicy policy;
    private final OutageNotice notice;
    private final Runnable afterRestart;
    private volatile EmbeddedServer server;
    private volatile boolean closed;
    private long startedNanos;
    private int endsInARow;

    /**
     * Returns when the server runs.
     *
     * @param afterRestart told after every restart, not after the first start
     * @throws LaunchFailure as the starter does
     */
    public KeptServer(String name, Starter starter, RestartPolicy policy, OutageNotice notice, Runnable afterRestart)
            throws IOException {
        this.name = name;
        this.starter = starter;
        this.policy = policy;
        this.notice = notice;
        this.afterRestart = afterRestart;
        this.server = starter.start();
        watch();
    }

    private void watch() {
        startedNanos = System.nanoTime();
        server.process().onExit().thenRun(this::ended);
    }

    private void ended() {
        if (closed) {
            return;
        }
        endsInARow = policy.count(endsInARow, Duration.ofNanos(System.nanoTime() - startedNanos));
        again();
    }

    private void again() {
        long pauseMs = policy.pause(endsInARow).toMillis();
        LOGGER.atWarn()
                .addKeyValue("server", name)
                .addKeyValue("pauseMs", pauseMs)
                .log("server ended, starting it again");
        notice.endedOnceMore(endsInARow);
        CompletableFuture.delayedExecutor(
                        pauseMs, TimeUnit.MILLISECONDS, Thread.ofVirtual().name("start-" + name)::start)
                .execute(this::restart);
    }

    private void restart() {
        if (closed) {
            return;
        }
        try {
            server = starter.start();
        } catch (IOException | RuntimeException e) { // whatever it is: nobody else would try again
            LOGGER.atError().setCause(e).addKeyValue("server", name).log("server cannot be started again");
            endsInARow++;
            again();
            return;
        }
        if (!closed) { // else the watchdog finds it and stops it with the others
            watch();
            var started = server.process();
            notice.started(started::isAlive);
            afterRestart.run();
        }
    }

    /** The one that runs now, or ran last. */
    public EmbeddedServer server() {
        return server;
    }

    /** Starts it no more. The server itself runs on. */
    @Override
    public void close() {
        closed = true;
    }
}
