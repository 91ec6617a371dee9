package ai.molecule.runtime.tasks;

import ai.molecule.runtime.tools.Parked;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tasks that wait for something outside, with no thread of their own: one thread looks after all of them, and there is none while none
 * waits. As many as run at most.
 */
final class Parking {

    /** What is waited for is asked so soon at first, and half as often again each time. */
    private static final Duration PAUSE_MIN = Duration.ofSeconds(1);

    private static final Duration PAUSE_MAX = Duration.ofSeconds(15);
    private static final Logger LOGGER = LoggerFactory.getLogger(Parking.class);

    /** @param again goes on with the task, or lets go of it when it is over */
    private record Waiting(AgentTask task, Parked.Until until, Runnable again) {}

    private final List<Waiting> waiting = new ArrayList<>();
    private @Nullable Thread looks;
    private boolean stopped;
    private long pauseMillis = PAUSE_MIN.toMillis();

    /** @param again runs once it has come, the task is over, or nobody waits any more */
    void park(AgentTask task, Parked.Until until, Runnable again) {
        synchronized (this) {
            if (!stopped) {
                waiting.add(new Waiting(task, until, again));
                hurry();
                if (looks == null) {
                    looks = Thread.ofVirtual().name("parked-tasks").start(this::look);
                }
                return;
            }
        }
        again.run();
    }

    /** Lets go of all that wait. */
    void stop() {
        List<Waiting> left;
        synchronized (this) {
            stopped = true;
            left = List.copyOf(waiting);
            waiting.clear();
            hurry();
        }
        left.forEach(each -> each.again().run()); // which may ask for other locks
    }

    /** Has a look soon: a task is over, perhaps. */
    synchronized void wake() {
        hurry();
    }

    private void hurry() {
        pauseMillis = PAUSE_MIN.toMillis();
        notifyAll();
    }

    private void look() {
        try {
            for (List<Waiting> seen = next(); !seen.isEmpty(); seen = next()) {
                seen.stream().filter(Parking::hasCome).forEach(this::goOn);
            }
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        }
    }

    /** After a pause; empty when nothing waits any more. */
    private synchronized List<Waiting> next() throws InterruptedException {
        if (!waiting.isEmpty()) {
            TimeUnit.MILLISECONDS.timedWait(this, pauseMillis);
            pauseMillis = Math.min(pauseMillis + pauseMillis / 2, PAUSE_MAX.toMillis());
        }
        if (waiting.isEmpty()) {
            looks = null;
        }
        return List.copyOf(waiting);
    }

    private void goOn(Waiting each) {
        synchronized (this) {
            if (!waiting.remove(each)) {
                return; // let go of meanwhile
            }
        }
        each.again().run();
    }

    private static boolean hasCome(Waiting each) {
        try {
            return each.task().isFinal() || each.until().hasCome();
        } catch (Exception notYet) {
            LOGGER.atDebug().setCause(notYet).log("what a task waits for cannot be asked");
            return false;
        }
    }
}
