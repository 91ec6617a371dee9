package ai.molecule.runtime.tasks;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.jspecify.annotations.Nullable;

/**
 * The events of one running task, kept once for all its followers. A follower remembers a position and reads on when it
 * can, so a slow one costs nothing but its lag and never holds up the task.
 *
 * <p>Its size is bounded by what a task may put out, see {@link TaskStore}.
 */
public final class EventLog {

    private final List<TaskEvent> events = new ArrayList<>(2); // of a finished task only the end is kept
    private final Set<Runnable> watchers = new CopyOnWriteArraySet<>();

    void append(TaskEvent event) {
        synchronized (events) {
            events.add(event);
        }
        watchers.forEach(Runnable::run);
    }

    /** The event at a position, counted from 0; null when it has not happened yet. */
    public @Nullable TaskEvent at(int position) {
        synchronized (events) {
            return position < events.size() ? events.get(position) : null;
        }
    }

    int size() {
        synchronized (events) {
            return events.size();
        }
    }

    /** The answer so far: all pieces joined. */
    String text() {
        StringBuilder text = new StringBuilder();
        synchronized (events) {
            for (TaskEvent event : events) {
                if (event instanceof TaskEvent.ArtifactChunk chunk) {
                    text.append(chunk.text());
                }
            }
        }
        return text.toString();
    }

    /** Runs the watcher after every new event, on the thread that caused it: it must be quick. Adding it twice is adding it once. */
    public void watch(Runnable watcher) {
        watchers.add(watcher);
    }

    public void unwatch(Runnable watcher) {
        watchers.remove(watcher);
    }
}
