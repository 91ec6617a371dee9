package ai.molecule.runtime.tasks;

import ai.molecule.runtime.tools.Excerpt;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Counts what runs and what failed, for whoever reports it. Changes are waited for, never queued. */
public final class WorkMeter {

    private static final int CURRENT_TASK_MAX_CHARS = 60;

    /**
     * @param currentTask the beginning of the message that was begun last, or the step that was; empty when nothing runs
     * @param ended how many tasks have ended since the agent started
     * @param failed how many of those failed
     * @param lastFailure empty when there was none
     */
    public record Reading(int activeTasks, String currentTask, long ended, long failed, String lastFailure) {

        /** An agent that has not done anything. */
        public static final Reading NONE = new Reading(0, "", 0, 0, "");

        private boolean sameWork(Reading other) {
            return activeTasks == other.activeTasks && currentTask.equals(other.currentTask);
        }
    }

    private final ReentrantLock lock = new ReentrantLock(); // a virtual thread waits on it
    private final Condition changed = lock.newCondition();
    private Reading reading = Reading.NONE;

    void started(String text) {
        lock.lock();
        try {
            reading = new Reading(
                    reading.activeTasks + 1, shortened(text), reading.ended, reading.failed, reading.lastFailure);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What runs is at this step. Without anything that runs it says nothing. */
    void at(String step) {
        lock.lock();
        try {
            if (reading.activeTasks > 0) {
                reading = new Reading(
                        reading.activeTasks, shortened(step), reading.ended, reading.failed, reading.lastFailure);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** @param failure why the task failed; empty when it did not */
    void ended(String failure) {
        lock.lock();
        try {
            int active = reading.activeTasks - 1;
            reading = new Reading(
                    active,
                    active == 0 ? "" : reading.currentTask,
                    reading.ended + 1,
                    reading.failed + (failure.isEmpty() ? 0 : 1),
                    failure.isEmpty() ? reading.lastFailure : failure);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public Reading read() {
        lock.lock();
        try {
            return reading;
        } finally {
            lock.unlock();
        }
    }

    /** Returns when the number of active tasks or the current task differ from those of {@code known}, or after the time. */
    public void awaitOtherWorkThan(Reading known, Duration atMost) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        lock.lock();
        try {
            long left = atMost.toNanos();
            while (reading.sameWork(known) && left > 0) {
                if (!changed.await(left, TimeUnit.NANOSECONDS)) {
                    return;
                }
                left = deadline - System.nanoTime();
            }
        } finally {
            lock.unlock();
        }
    }

    private static String shortened(String text) {
        return text.length() <= CURRENT_TASK_MAX_CHARS ? text : Excerpt.of(text, CURRENT_TASK_MAX_CHARS) + "...";
    }
}
