package ai.molecule.cli.up;

import ai.molecule.cli.LaunchFailure;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has been started so far, stopped in the opposite order. It may be closed by a signal while the start is still going on:
 * whatever is added later is stopped at once.
 */
final class Teardown implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(Teardown.class);

    private final Deque<Step> steps = new ArrayDeque<>();
    private volatile boolean closed;

    private record Step(String name, AutoCloseable action) {
        void run() {
            try {
                action.close();
            } catch (Exception e) {
                LOGGER.atWarn().setCause(e).addKeyValue("step", name).log("stopping went wrong");
            }
        }
    }

    /** @throws LaunchFailure when everything is being stopped already; {@code action} has run then */
    synchronized void add(String name, AutoCloseable action) {
        if (closed) {
            new Step(name, action).run();
            throw LaunchFailure.broken("Stopped while starting.");
        }
        steps.push(new Step(name, action));
    }

    /** Whether everything is being stopped, or was. */
    boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        while (!steps.isEmpty()) {
            steps.pop().run();
        }
    }
}
