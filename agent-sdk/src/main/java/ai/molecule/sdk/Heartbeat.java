package ai.molecule.sdk;

import java.time.Duration;

/**
 * What an agent says about itself from time to time.
 *
 * <pre>{@code
 * client.heartbeat(new Heartbeat("indexing", 2, 0.1, "disk full", Duration.ofHours(3)));
 * }</pre>
 *
 * @param currentTask what it works on, in a few words; empty when idle
 * @param activeTasks how many tasks run now
 * @param errorRate failed tasks divided by all tasks since the last heartbeat, 0 to 1
 * @param sampleError one of those failures, for a person; empty when there was none
 * @param uptime since the agent started; sent in whole seconds
 */
public record Heartbeat(String currentTask, int activeTasks, double errorRate, String sampleError, Duration uptime) {

    /** @throws IllegalArgumentException when a number is out of its range */
    public Heartbeat {
        if (activeTasks < 0) {
            throw new IllegalArgumentException("active tasks cannot be negative: " + activeTasks);
        }
        if (!(errorRate >= 0 && errorRate <= 1)) {
            throw new IllegalArgumentException("error rate must lie between 0 and 1: " + errorRate);
        }
    }

    /** An agent with nothing to do and nothing to complain about. */
    public static Heartbeat idle(Duration uptime) {
        return new Heartbeat("", 0, 0, "", uptime);
    }
}
