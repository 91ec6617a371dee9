package ai.molecule.runtime.tasks;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.Prompt;
import java.time.Clock;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs each task on a virtual thread and sees to it that it ends, however its executor does. */
final class TaskRunner {

    private static final Logger LOGGER = LoggerFactory.getLogger(TaskRunner.class);
    private static final String NO_TEXT = "Error: message contained no text content.";

    private final AgentExecutor executor;
    private final WorkMeter meter;
    private final Clock clock;
    private final TaskStore store;
    private final Surroundings surroundings;
    private final Consumer<IncomingMessage> over;

    /** @param over told about every message whose thread is done with it, its task cancelled or not */
    TaskRunner(
            AgentExecutor executor,
            WorkMeter meter,
            Clock clock,
            TaskStore store,
            Surroundings surroundings,
            Consumer<IncomingMessage> over) {
        this.executor = executor;
        this.meter = meter;
        this.clock = clock;
        this.store = store;
        this.surroundings = surroundings;
        this.over = over;
    }

    void start(AgentTask task, IncomingMessage message) {
        Thread thread = Thread.ofVirtual().name("task-" + task.id()).unstarted(() -> run(task, message));
        task.workedOnBy(thread);
        meter.started(message.text());
        thread.start();
    }

    /** Moves a task into a final state; false when it is over already. */
    boolean end(AgentTask task, TaskState state, String text) {
        boolean moved = task.move(state, text, clock.instant());
        if (moved) {
            store.finished(task);
        }
        return moved;
    }

    private void run(AgentTask task, IncomingMessage message) {
        String failure = "";
        try {
            if (task.begin(clock.instant())) {
                failure = answer(task, message);
            }
        } finally {
            task.leftBy(Thread.currentThread());
            meter.ended(failure);
            over.accept(message);
        }
    }

    /** Why it failed; empty when it did not. */
    private String answer(AgentTask task, IncomingMessage message) {
        try {
            String text = surroundings.textOf(message);
            if (text.isBlank()) {
                end(task, TaskState.FAILED, NO_TEXT);
                return ""; // the sender's mistake says nothing about the agent's health
            }
            var reply = new TaskReply(task, store, meter);
            executor.answer(
                    new Prompt(task.id(), task.contextId(), text, message.message(), message.metadata()), reply);
            reply.close();
            if (reply.question().isEmpty()) {
                task.attach(surroundings.answerFiles().namedIn(task.answerSoFar()));
                end(task, TaskState.COMPLETED, "");
            } else {
                store.finished(task); // first: once it has moved, the next message may be here
                task.move(TaskState.INPUT_REQUIRED, reply.question(), clock.instant());
            }
            return "";
        } catch (Throwable e) { // an Error too must not leave a task that works for ever
            return fail(task, e);
        }
    }

    private String fail(AgentTask task, Throwable failure) {
        if (task.isFinal()) {
            return ""; // cancelled: the executor was interrupted, or spoke to a reply that takes nothing more
        }
        if (failure instanceof InterruptedException || failure instanceof CancellationException) {
            LOGGER.atWarn().addKeyValue("taskId", task.id()).log("task ended itself as if it were canceled");
        } else if (failure instanceof AgentFailure) {
            LOGGER.atWarn()
                    .addKeyValue("taskId", task.id())
                    .addKeyValue("reason", failure.getMessage())
                    .log("task failed");
        } else {
            LOGGER.atError().addKeyValue("taskId", task.id()).setCause(failure).log("task failed unexpectedly");
        }
        String text = ErrorText.of(failure);
        end(task, TaskState.FAILED, text);
        return text;
    }
}
