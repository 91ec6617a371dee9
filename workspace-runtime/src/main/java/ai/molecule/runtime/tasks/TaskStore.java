package ai.molecule.runtime.tasks;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps tasks within a number and a size. When either is reached the finished tasks go, the one that finished first
 * before the others; one that waits for its sender counts as finished until it is continued. A running task is never
 * dropped, so when only those are left there is no room.
 *
 * <p>Sizes are estimates on the safe side: two bytes for each character and a fixed part for the objects around it. A
 * running task counts with the whole message it works on, a finished one with what is kept of it.
 */
final class TaskStore {

    /** As many as there are remembered messages, so that usually both are known for equally long. */
    static final int TASKS_MAX = MessageMemory.MESSAGES_MAX;

    /** What a single task may put out: under half of what the platform lets an agent answer. */
    static final long OUTPUT_MAX_BYTES = 4L * 1024 * 1024;

    private static final long TASK_BYTES = 1024;
    private static final long CHUNK_BYTES = 96;

    private static final class Kept {
        final AgentTask task;
        long keptBytes;
        long workingBytes;
        long outputBytes;

        Kept(AgentTask task, long keptBytes, long workingBytes) {
            this.task = task;
            this.keptBytes = keptBytes;
            this.workingBytes = workingBytes;
        }

        long bytes() {
            return keptBytes + workingBytes + outputBytes;
        }
    }

    private final int maxTasks;
    private final long maxBytes;
    private final Map<String, Kept> tasks = new HashMap<>();
    private final Set<Kept> finished = new LinkedHashSet<>();
    private long usedBytes;

    TaskStore(int maxTasks, long maxBytes) {
        this.maxTasks = maxTasks;
        this.maxBytes = maxBytes;
    }

    /**
     * Whether there was room for the task.
     *
     * @param messageLength of the message in its history, in characters
     * @param workingBytes what it needs besides while it runs
     */
    synchronized boolean add(AgentTask task, int messageLength, long workingBytes) {
        var kept = new Kept(task, TASK_BYTES + 2L * messageLength, workingBytes);
        while (tasks.size() >= maxTasks) {
            if (!forgetOldest()) {
                return false;
            }
        }
        if (!makeRoom(kept.bytes())) {
            return false;
        }
        tasks.put(task.id(), kept);
        return true;
    }

    synchronized Optional<AgentTask> find(String id) {
        Kept kept = tasks.get(id);
        return kept == null ? Optional.empty() : Optional.of(kept.task);
    }

    /** All of them, as they are now. */
    synchronized List<AgentTask> all() {
        return tasks.values().stream().map(kept -> kept.task).toList();
    }

    /**
     * Whether a finished task may run once more: it is still known, and there was room for the next message.
     *
     * @param messageLength and {@code workingBytes}: as in {@link #add}
     */
    synchronized boolean resume(AgentTask task, int messageLength, long workingBytes) {
        Kept kept = tasks.get(task.id());
        if (kept == null) {
            return false;
        }
        boolean rested = finished.remove(kept);
        if (!makeRoom(2L * messageLength + workingBytes)) {
            if (rested) {
                finished.add(kept);
            }
            return false;
        }
        kept.keptBytes += 2L * messageLength;
        kept.workingBytes += workingBytes;
        return true;
    }

    /** Whether there is room for the next piece of a running task's answer. */
    synchronized boolean makeRoomForChunk(AgentTask task, String text) {
        @Nullable Kept kept = tasks.get(task.id());
        long bytes = CHUNK_BYTES + 2L * text.length();
        if (kept == null || kept.outputBytes + bytes > OUTPUT_MAX_BYTES || !makeRoom(bytes)) {
            return false;
        }
        kept.outputBytes += bytes;
        return true;
    }

    /** From now on the task may be forgotten when room is needed. */
    synchronized void finished(AgentTask task) {
        Kept kept = tasks.get(task.id());
        if (kept != null) {
            usedBytes -= kept.workingBytes;
            kept.workingBytes = 0;
            finished.add(kept);
        }
    }

    private boolean makeRoom(long bytes) {
        while (usedBytes + bytes > maxBytes) {
            if (!forgetOldest()) {
                return false;
            }
        }
        usedBytes += bytes;
        return true;
    }

    private boolean forgetOldest() {
        var oldestFirst = finished.iterator();
        if (!oldestFirst.hasNext()) {
            return false;
        }
        Kept oldest = oldestFirst.next();
        oldestFirst.remove();
        tasks.remove(oldest.task.id());
        usedBytes -= oldest.bytes();
        return true;
    }
}
