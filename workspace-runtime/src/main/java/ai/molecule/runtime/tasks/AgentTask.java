package ai.molecule.runtime.tasks;

import ai.molecule.runtime.agent.ToolUse;
import ai.molecule.runtime.tasks.TaskEvent.ArtifactChunk;
import ai.molecule.runtime.tasks.TaskEvent.PartsAttached;
import ai.molecule.runtime.tasks.TaskEvent.StatusChanged;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One task. Its state moves here and nowhere else; whoever loses a race to move it is told so. */
public final class AgentTask {

    private final String id;
    private final String contextId;
    private final Optional<String> owner;
    private final boolean direct;
    private final List<Turn> turns = new ArrayList<>(1); // there are thousands of tasks, nearly all of one turn
    private CompletableFuture<TaskSnapshot> settled = new CompletableFuture<>();

    private TaskState state = TaskState.SUBMITTED;
    private Instant since;
    private String statusText = "";
    private String answer = "";
    private boolean spoken;
    private List<AnsweredPart> parts = List.of();
    private final List<ToolUse> tools = new ArrayList<>();
    private EventLog log = new EventLog();
    private boolean suspended;
    private @Nullable Thread worker;

    /** @param owner the workspace that began it, where it said who it is */
    AgentTask(String id, String contextId, Optional<String> owner, String messageJson, Instant now) {
        this(id, contextId, owner, messageJson, now, false);
    }

    /** @param direct whether nobody is told of it as a task when it is completed */
    AgentTask(String id, String contextId, Optional<String> owner, String messageJson, Instant now, boolean direct) {
        this.id = id;
        this.direct = direct;
        this.owner = owner;
        this.contextId = contextId;
        this.turns.add(new Turn(messageJson, ""));
        this.since = now;
    }

    /** One that an agent before this one left, as it was. */
    AgentTask(KeptTask kept) {
        this.id = kept.id;
        this.direct = false;
        this.owner = kept.owner;
        this.contextId = kept.contextId;
        this.turns.addAll(kept.turns);
        this.state = kept.state;
        this.since = kept.since;
        this.statusText = kept.statusText;
        this.parts = List.copyOf(kept.parts);
        this.tools.addAll(kept.tools);
        if (state.isFinal()) {
            answer = kept.answer.toString();
        } else if (!kept.answer.isEmpty()) {
            say(kept.answer.toString(), false);
        }
        if (state.endsTurn()) {
            log.append(new StatusChanged(state, since, statusText));
            settled.complete(snapshot());
        }
    }

    public String id() {
        return id;
    }

    public String contextId() {
        return contextId;
    }

    /** The workspace that began it, where it said who it is. */
    Optional<String> owner() {
        return owner;
    }

    /** Whether nobody is told of it as a task when it is completed. */
    public boolean isDirect() {
        return direct;
    }

    /** Completes, with the task as it is then, once the turn that is on now has ended, one way or another. Fails only when the agent ends and its successor goes on. */
    public synchronized CompletionStage<TaskSnapshot> settled() {
        return settled.minimalCompletionStage();
    }

    public synchronized TaskSnapshot snapshot() {
        return new TaskSnapshot(id, contextId, state, since, statusText, turns, answerSoFar(), parts, tools, direct);
    }

    /** A task at rest is followed too: its last event comes once more, so that every stream ends the same way. */
    public synchronized TaskView follow() {
        return new TaskView(snapshot(), log, state.endsTurn() ? log.size() - 1 : log.size());
    }

    /** From what follows on now: of a task that asks, from its answer on. */
    public synchronized TaskView followOn() {
        return new TaskView(snapshot(), log, log.size());
    }

    /** Where it stands among the tasks that are asked for; empty when it is none of them. */
    synchronized Optional<TaskQuery.Position> positionIn(TaskQuery query) {
        var position = new TaskQuery.Position(since.toEpochMilli(), id);
        boolean wanted = !direct
                && query.asker().map(asker -> owner.equals(query.asker())).orElse(true)
                && query.contextId().map(contextId::equals).orElse(true)
                && query.state().map(state::equals).orElse(true)
                && query.since()
                        .map(from -> position.millis() >= from.toEpochMilli())
                        .orElse(true);
        return wanted ? Optional.of(position) : Optional.empty();
    }

    /** Whether the task moved; it did not when the table of states forbids it. */
    boolean move(TaskState next, String text, Instant now) {
        CompletableFuture<TaskSnapshot> turn;
        TaskSnapshot end;
        synchronized (this) {
            if (suspended || !state.canBecome(next)) {
                return false;
            }
            if (state.asks() && next.isFinal()) {
                keepQuestion();
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
            if (!next.endsTurn()) {
                return true;
            }
            turn = settled;
            end = snapshot();
        }
        turn.complete(end);
        return true;
    }

    /** Whether the task works now; it does not when it is over already. */
    boolean begin(Instant now) {
        synchronized (this) {
            if (state == TaskState.WORKING) {
                return true; // continued, and begun by that
            }
        }
        return move(TaskState.WORKING, "", now);
    }

    /** Whether the message continues the task; it does not when nobody was asked, or no longer. */
    synchronized boolean resume(String messageJson, Instant now) {
        if (!state.asks()) {
            return false;
        }
        keepQuestion();
        turns.add(new Turn(messageJson, ""));
        settled = new CompletableFuture<>();
        return move(TaskState.WORKING, "", now);
    }

    /** The status is about to say something else. */
    private void keepQuestion() {
        turns.add(turns.removeLast().answeredWith(statusText));
    }

    synchronized int turnCount() {
        return turns.size();
    }

    /** Whether the piece was taken; a task that is over takes none. */
    synchronized boolean append(String text, boolean last) {
        if (state != TaskState.WORKING || suspended) {
            return false;
        }
        say(text, last);
        return true;
    }

    private void say(String text, boolean last) {
        log.append(new ArtifactChunk(text, spoken, last));
        spoken = true;
    }

    /** Adds to the answer what goes with it; a task that is over takes none. */
    synchronized void attach(List<AnsweredPart> more) {
        if (!more.isEmpty() && state == TaskState.WORKING) {
            parts = List.copyOf(more);
            log.append(new PartsAttached(parts, spoken));
        }
    }

    /** A task that is over takes none. */
    synchronized void noteTool(ToolUse tool) {
        if (state == TaskState.WORKING) {
            tools.add(tool);
        }
    }

    synchronized int toolCount() {
        return tools.size();
    }

    synchronized String answerSoFar() {
        return state.isFinal() ? answer : log.text();
    }

    synchronized boolean isFinal() {
        return state.isFinal();
    }

    /** Nobody works on it. */
    synchronized boolean isAtRest() {
        return state.endsTurn();
    }

    synchronized boolean asks() {
        return state.asks();
    }

    /** The agent ends and its successor goes on: whoever waits is sent away with this, and the task moves no more. */
    void suspend(RuntimeException told) {
        CompletableFuture<TaskSnapshot> turn;
        synchronized (this) {
            if (state.endsTurn()) {
                return;
            }
            suspended = true;
            turn = settled;
        }
        turn.completeExceptionally(told);
    }

    synchronized boolean isSuspended() {
        return suspended;
    }

    synchronized void workedOnBy(Thread thread) {
        worker = thread;
    }

    /** Lets go of the thread, and with it of the whole message it was begun with. */
    synchronized void leftBy(Thread thread) {
        if (thread.equals(worker)) {
            worker = null;
        }
    }

    synchronized void interruptWorker() {
        if (worker != null) {
            worker.interrupt();
        }
    }
}
