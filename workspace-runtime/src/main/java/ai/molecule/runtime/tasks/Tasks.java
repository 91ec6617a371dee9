package ai.molecule.runtime.tasks;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.tasks.TaskRefused.Kind;
import java.time.Clock;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/**
 * Makes messages into tasks, and runs each once.
 *
 * <p>Accepting and starting are two steps, so that a stream can show the task before anything has happened to it.
 * Accepted tasks are bounded in number ({@link #RUNNING_MAX}) and in size by the store.
 */
public final class Tasks {

    /** More tasks than this do not run at the same time; the next is refused as busy. */
    public static final int RUNNING_MAX = 2_000;

    /** @param isNew false when the message was here before, and its task with it */
    public record Accepted(AgentTask task, boolean isNew) {}

    private final TaskRunner runner;
    private final Clock clock;
    private final TaskStore store;
    private final MessageMemory messages = new MessageMemory();
    private final Set<AgentTask> unfinished = new HashSet<>();
    private boolean stopping;

    /** @param maxBytes how much memory all tasks together may take, finished ones included */
    public Tasks(AgentExecutor executor, WorkMeter meter, Clock clock, long maxBytes) {
        this.clock = clock;
        this.store = new TaskStore(TaskStore.TASKS_MAX, maxBytes);
        this.runner = new TaskRunner(executor, meter, clock, store, this::over);
    }

    /**
     * Takes a message. One that was here before is answered with the task it became.
     *
     * @throws TaskRefused WRONG_MESSAGE when its id was used for other words or its task takes no message, UNKNOWN_TASK
     *     when the task it became is forgotten or the task it continues unknown, BUSY when there is no room
     */
    public synchronized Accepted accept(IncomingMessage message) {
        Instant now = clock.instant();
        var seen = messages.find(message.messageId(), now);
        if (seen.isPresent()) {
            return new Accepted(taskOf(seen.get(), message), false);
        }
        message.taskId().ifPresent(this::refuseContinuation);
        if (stopping || unfinished.size() >= RUNNING_MAX) {
            throw new TaskRefused(Kind.BUSY, stopping ? "the agent is stopping" : "the agent is busy, try again later");
        }
        String taskId = UUID.randomUUID().toString();
        String contextId = message.contextId().orElseGet(() -> UUID.randomUUID().toString());
        String messageJson = message.asHistory(taskId, contextId);
        var task = new AgentTask(taskId, contextId, messageJson, now);
        if (!store.add(task, messageJson.length(), message.heldBytes())) {
            throw new TaskRefused(Kind.BUSY, "the agent is busy, try again later");
        }
        messages.remember(message.messageId(), new MessageMemory.Seen(task.id(), message.fingerprint(), now));
        unfinished.add(task);
        return new Accepted(task, true);
    }

    /** Lets an accepted task run; nothing happens when it was not new. */
    public void start(Accepted accepted, IncomingMessage message) {
        if (accepted.isNew()) {
            runner.start(accepted.task(), message);
        }
    }

    /** @throws TaskRefused UNKNOWN_TASK */
    public AgentTask get(String id) {
        return store.find(id).orElseThrow(() -> unknown("task " + id + " is not known"));
    }

    /** The task a message became. @throws TaskRefused UNKNOWN_TASK when there is none, or none any more */
    public synchronized AgentTask getByMessage(String messageId) {
        return messages.find(messageId, clock.instant())
                .flatMap(seen -> store.find(seen.taskId()))
                .orElseThrow(() -> unknown("no task is known for message " + messageId));
    }

    /**
     * Cancels a task and interrupts whatever works on it.
     *
     * @throws TaskRefused UNKNOWN_TASK, or NOT_CANCELABLE when it is over already
     */
    public AgentTask cancel(String id) {
        AgentTask task = get(id);
        if (!runner.end(task, TaskState.CANCELED, "the task was canceled")) {
            throw new TaskRefused(Kind.NOT_CANCELABLE, "task " + id + " is over already");
        }
        task.interruptWorker();
        return task;
    }

    /** Accepts nothing more, and fails and interrupts what runs, so that whoever waits gets an answer. */
    public void stop() {
        Set<AgentTask> running;
        synchronized (this) {
            stopping = true;
            running = Set.copyOf(unfinished);
        }
        for (AgentTask task : running) {
            runner.end(task, TaskState.FAILED, ErrorText.of("the agent is stopping"));
            task.interruptWorker();
        }
    }

    private synchronized void over(AgentTask task) {
        unfinished.remove(task);
    }

    private AgentTask taskOf(MessageMemory.Seen seen, IncomingMessage message) {
        if (seen.fingerprint() != message.fingerprint()) {
            throw new TaskRefused(
                    Kind.WRONG_MESSAGE, "messageId " + message.messageId() + " was already used for another message");
        }
        return store.find(seen.taskId())
                .orElseThrow(
                        () -> unknown("message " + message.messageId() + " was handled and its task is forgotten"));
    }

    private void refuseContinuation(String taskId) {
        throw new TaskRefused(
                Kind.WRONG_MESSAGE,
                get(taskId).isFinal()
                        ? "task " + taskId + " is over; send a message without taskId to begin another"
                        : "task " + taskId + " is still working and takes no further message");
    }

    private static TaskRefused unknown(String message) {
        return new TaskRefused(Kind.UNKNOWN_TASK, message);
    }
}
