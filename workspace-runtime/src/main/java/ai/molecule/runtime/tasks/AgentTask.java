package ai.molecule.runtime.tasks;

import ai.molecule.runtime.tasks.TaskEvent.ArtifactChunk;
import ai.molecule.runtime.tasks.TaskEvent.StatusChanged;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One task. Its state moves here and nowhere else; whoever loses a race to move it is told so. */
public final class AgentTask {

    private final String id;
    private final String contextId;
    private final String messageJson;
    private final CompletableFuture<AgentTask> finished = new CompletableFuture<>();

    private TaskState state = TaskState.SUBMITTED;
    private Instant since;
    private String statusText = "";
    private String answer = "";
    private EventLog log = new EventLog();
    private @Nullable Thread worker;

    AgentTask(String id, String contextId, String messageJson, Instant now) {
        this.id = id;
        this.contextId = contextId;
        this.messageJson = messageJson;
        this.since = now;
    }

    public String id() {
        return id;
    }

    public String contextId() {
        return contextId;
    }

    /** Completes, with the task itself, once it has reached a final state. Never fails. */
    public CompletionStage<AgentTask> finished() {
        return finished.minimalCompletionStage();
    }

    public synchronized TaskSnapshot snapshot() {
        return new TaskSnapshot(
                id, contextId, state, since, statusText, messageJson, state.isFinal() ? answer : log.text());
    }

    /** A finished task is followed too: its last event comes once more, so that every stream ends the same way. */
    public synchronized TaskView follow() {
        return new TaskView(snapshot(), log, state.isFinal() ? 0 : log.size());
    }

    /** Whether the task moved; it did not when the table of states forbids it. */
    boolean move(TaskState next, String text, Instant now) {
        synchronized (this) {
            if (!state.canBecome(next)) {
                return false;
            }
            state = next;
            since = now;
            statusText = text;
            var event = new StatusChanged(next, now, text);
            log.append(event);
            if (next.isFinal()) {
                answer = log.text();
                log = new EventLog(); // followers hold the full one for as long as they need it
                log.append(event);
            }
        }
        if (next.isFinal()) {
            finished.complete(this);
        }
        return true;
    }

    /** Whether the piece was taken; a task that is over takes none. */
    synchronized boolean append(String text, boolean last) {
        if (state != TaskState.WORKING) {
            return false;
        }
        log.append(new ArtifactChunk(text, log.size() > 1, last)); // the first event said that work began
        return true;
    }

    synchronized boolean isFinal() {
        return state.isFinal();
    }

    synchronized void workedOnBy(Thread thread) {
        worker = thread;
    }

    synchronized void interruptWorker() {
        if (worker != null) {
            worker.interrupt();
        }
    }
}
