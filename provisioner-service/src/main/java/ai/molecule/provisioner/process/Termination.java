package ai.molecule.provisioner.process;

import ai.molecule.provisioner.backend.AgentProcess;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends a process: politely, and by force when it does not go within its grace. */
record Termination(Vertx vertx, Duration grace) {

    /** How often a process that was told to stop is looked at. */
    private static final Duration LOOK = Duration.ofMillis(25);

    /** How long a killed process may take to vanish. */
    private static final Duration KILL_MAX = Duration.ofSeconds(2);

    private static final Logger LOGGER = LoggerFactory.getLogger(Termination.class);

    /** Completes when it is gone; fails when it survives even SIGKILL. */
    Future<Void> of(AgentProcess process) {
        signal(process, false);
        return gone(process, grace).compose(stopped -> {
            if (stopped) {
                return Future.succeededFuture();
            }
            LOGGER.atWarn().addKeyValue("pid", process.id()).log("agent ignored SIGTERM, killing it");
            signal(process, true);
            return gone(process, KILL_MAX)
                    .compose(killed -> killed
                            ? Future.succeededFuture()
                            : Future.failedFuture(new IOException("process %s survives".formatted(process.id()))));
        });
    }

    private static void signal(AgentProcess process, boolean force) {
        LiveProcess.find(process).ifPresent(handle -> {
            if (force) {
                handle.destroyForcibly();
            } else {
                handle.destroy();
            }
        });
    }

    /** Whether the process is gone within {@code left}. Looks instead of waiting: nobody reports the end of another's child. */
    private Future<Boolean> gone(AgentProcess process, Duration left) {
        if (LiveProcess.find(process).isEmpty()) {
            return Future.succeededFuture(true);
        }
        if (left.isNegative() || left.isZero()) {
            return Future.succeededFuture(false);
        }
        return vertx.timer(LOOK.toMillis()).compose(tick -> gone(process, left.minus(LOOK)));
    }
}
