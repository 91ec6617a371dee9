package ai.molecule.runtime.tasks;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.tasks.TaskRefused.Kind;
import ai.molecule.sdk.SpanOutlet;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes messages into tasks, and runs each once.
 *
 * <p>Accepting and starting are two steps, so that a stream can show the task before anything has happened to it.
 * Accepted tasks are bounded in number ({@link #RUNNING_MAX}) and in size by the store.
 */
public final class Tasks {

    private static final Logger LOGGER = LoggerFactory.getLogger(Tasks.class);

    /** More tasks than this do not run at the same time; the next is refused as busy. */
    public static final int RUNNING_MAX = 2_000;

    /** A task takes no more messages than this. */
    static final int TURNS_MAX = 1_000;

    /** @param isNew false when the message was here before, and its task with it */
    public record Accepted(AgentTask task, boolean isNew) {}

    private final TaskRunner runner;
    private final boolean resumes;
    private final TaskJournal journal;
    private final Clock clock;
    private final AgentExecutor executor;
    private final TaskStore store;
    private final MessageMemory messages;
    private final Map<IncomingMessage, AgentTask> unfinished = new IdentityHashMap<>(); // by the message worked on
    private boolean stopping;

    /**
     * Of an agent that is asked what the words say.
     *
     * @param maxBytes how much memory all tasks together may take, finished ones included
     */
    public Tasks(AgentExecutor executor, WorkMeter meter, Clock clock, long maxBytes) {
        this(executor, meter, clock, maxBytes, Surroundings.NONE);
    }

    /** Of an agent whose tasks end with it. */
    public Tasks(AgentExecutor executor, WorkMeter meter, Clock clock, long maxBytes, Surroundings surroundings) {
        this(executor, meter, clock, maxBytes, surroundings, TaskJournal.NONE);
    }

    /**
     * @param maxBytes how much memory all tasks together may take, finished ones included
     * @param journal keeps the tasks of an executor that {@linkplain AgentExecutor#resumes resumes}
     */
    public Tasks(
            AgentExecutor executor,
            WorkMeter meter,
            Clock clock,
            long maxBytes,
            Surroundings surroundings,
            TaskJournal journal) {
        this.executor = executor;
        this.resumes = executor.resumes();
        this.journal = journal;
        this.clock = clock;
        this.store = new TaskStore(TaskStore.TASKS_MAX, maxBytes);
        this.messages = new MessageMemory(
                taskId -> store.find(taskId).map(task -> !task.isFinal()).orElse(false));
        this.runner = new TaskRunner(executor, meter, clock, store, surroundings, journal, this::over);
    }

    /**
     * Takes a message. One that was here before, the same words under the same id and to no other task, is answered with the task it became.
     *
     * @throws TaskRefused TAKES_NO_MESSAGE or WRONG_MESSAGE when its task does not take it, UNKNOWN_TASK
     *     when the task it became is forgotten or the task it continues unknown, BUSY when there is
     *     no room
     */
    public synchronized Accepted accept(IncomingMessage message) {
        Instant now = clock.instant();
        var seen = messages.find(message.messageId(), message.fingerprint(), message.taskId(), now);
        if (seen.isPresent()) {
            return new Accepted(taskOf(seen.get(), message), false);
        }
        if (stopping || unfinished.size() >= RUNNING_MAX) {
            throw new TaskRefused(Kind.BUSY, stopping ? "the agent is stopping" : "the agent is busy, try again later");
        }
        AgentTask task = message.taskId().isPresent()
                ? continued(get(message.taskId().get()), message, now)
                : begun(message, now);
        messages.remember(message.messageId(), new MessageMemory.Seen(task.id(), message.fingerprint(), now));
        unfinished.put(message, task);
        return new Accepted(task, true);
    }

    /**
     * Takes up what an agent before this one left: what is over is known again, what was asked waits again for its answer, and what was
     * worked on goes on behind its last step. Once, before the first message.
     *
     * @param spans is told what is done for it
     */
    public synchronized void resume(SpanOutlet spans) {
        for (KeptTask kept : journal.read(clock.instant())) {
            var task = new AgentTask(kept);
            var message = kept.message();
            int length = kept.answer.length()
                    + kept.turns.stream()
                            .mapToInt(turn -> turn.messageJson().length())
                            .sum();
            if (!store.add(task, length, task.isAtRest() ? 0 : message.heldBytes())) {
                LOGGER.atWarn().addKeyValue("taskId", task.id()).log("no room to take up a task again");
                continue;
            }
            kept.messages.forEach(each ->
                    messages.remember(each.id(), new MessageMemory.Seen(task.id(), each.fingerprint(), kept.since)));
            if (task.isAtRest()) {
                store.finished(task);
            } else if (!resumes || kept.crashes >= KeptTask.CRASHES_MAX) {
                runner.end(task, TaskState.FAILED, ErrorText.of("the agent ended while it worked on this"));
            } else {
                unfinished.put(message, task);
                kept.trace().reportingTo(spans).during(() -> {
                    runner.resume(task, message, kept.prompt());
                    return task;
                });
            }
        }
    }

    private AgentTask begun(IncomingMessage message, Instant now) {
        String taskId = UUID.randomUUID().toString();
        String contextId = message.contextId().orElseGet(() -> UUID.randomUUID().toString());
        String messageJson = message.asHistory(taskId, contextId);
        boolean direct = executor.answersDirectly(message.messageId(), message.text());
        var task = new AgentTask(taskId, contextId, message.sender(), messageJson, now, direct);
        if (!store.add(task, messageJson.length(), message.heldBytes())) {
            throw new TaskRefused(Kind.BUSY, "the agent is busy, try again later");
        }
        return task;
    }

    private AgentTask continued(AgentTask task, IncomingMessage message, Instant now) {
        if (!task.asks()) {
            throw takesNone(task);
        }
        if (!message.contextId().orElse(task.contextId()).equals(task.contextId())) {
            throw wrong("task " + task.id() + " belongs to another contextId");
        }
        if (task.turnCount() >= TURNS_MAX) {
            throw wrong("task " + task.id() + " takes no more than " + TURNS_MAX + " messages");
        }
        String messageJson = message.asHistory(task.id(), task.contextId());
        if (!store.resume(task, messageJson.length(), message.heldBytes())) {
            throw new TaskRefused(Kind.BUSY, "the agent is busy, try again later");
        }
        if (!task.resume(messageJson, now)) {
            store.finished(task); // cancelled this very moment
            throw takesNone(task);
        }
        return task;
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

    /** Those that are asked for, as they are. */
    public TaskPage list(TaskQuery query) {
        return TaskPage.of(store.all(), query);
    }

    /** The task a message became, the newest of its id. @throws TaskRefused UNKNOWN_TASK when there is none, or none any more */
    public synchronized AgentTask getByMessage(String messageId) {
        return messages.newest(messageId, clock.instant())
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

    /**
     * Accepts nothing more, and interrupts what runs. What is kept goes on when the agent is there again, and whoever waits is asked to send its
     * message once more; the rest fails.
     */
    public void stop() {
        Set<AgentTask> running;
        synchronized (this) {
            stopping = true;
            running = Set.copyOf(unfinished.values());
        }
        for (AgentTask task : running) {
            if (journal.keeps(task)) {
                task.suspend(
                        new TaskRefused(Kind.BUSY, "the agent restarts and goes on with this, send it again later"));
            }
            runner.end(task, TaskState.FAILED, ErrorText.of("the agent is stopping"));
            task.interruptWorker();
        }
        runner.stop();
    }

    /** Waits until nothing works any more: what executors started has ended then. Returns after the time in any case. */
    public synchronized void awaitRest(Duration atMost) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        for (long left = atMost.toNanos(); !unfinished.isEmpty() && left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    private synchronized void over(IncomingMessage message) {
        unfinished.remove(message);
        notifyAll();
    }

    private AgentTask taskOf(MessageMemory.Seen seen, IncomingMessage message) {
        return store.find(seen.taskId())
                .orElseThrow(
                        () -> unknown("message " + message.messageId() + " was handled and its task is forgotten"));
    }

    private static TaskRefused takesNone(AgentTask task) {
        return new TaskRefused(
                Kind.TAKES_NO_MESSAGE,
                task.isFinal()
                        ? "task " + task.id() + " is over; send a message without taskId to begin another"
                        : "task " + task.id() + " is still working and takes no further message");
    }

    private static TaskRefused wrong(String message) {
        return new TaskRefused(Kind.WRONG_MESSAGE, message);
    }

    private static TaskRefused unknown(String message) {
        return new TaskRefused(Kind.UNKNOWN_TASK, message);
    }
}
