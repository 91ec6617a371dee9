package ai.molecule.runtime.tasks;

import ai.molecule.runtime.agent.AgentExecutor;
import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.tools.Parked;
import ai.molecule.sdk.TraceContext;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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
    private final TaskJournal journal;
    private final Consumer<IncomingMessage> over;
    private final Parking parking = new Parking();

    /** @param over told about every message whose thread is done with it, its task cancelled or not */
    TaskRunner(
            AgentExecutor executor,
            WorkMeter meter,
            Clock clock,
            TaskStore store,
            Surroundings surroundings,
            TaskJournal journal,
            Consumer<IncomingMessage> over) {
        this.executor = executor;
        this.meter = meter;
        this.clock = clock;
        this.store = store;
        this.surroundings = surroundings;
        this.journal = journal;
        this.over = over;
    }

    void start(AgentTask task, IncomingMessage message) {
        start(task, message, () -> {
            if (executor.resumes()) {
                journal.message(task, message, clock.instant());
            }
            String text = surroundings.textOf(message);
            note(task, TaskFile.row("prompt").put("text", text));
            return text;
        });
    }

    /** Goes on with a task that an agent before this one worked on. @param prompt what it was asked, when it was asked already */
    void resume(AgentTask task, IncomingMessage message, Optional<String> prompt) {
        start(task, message, () -> {
            note(task, TaskFile.row("resumed"));
            return prompt.orElseGet(() -> surroundings.textOf(message));
        });
    }

    private void start(AgentTask task, IncomingMessage message, Supplier<String> prompt) {
        var once = new Once(prompt);
        Thread thread = Thread.ofVirtual().name("task-" + task.id()).unstarted(() -> run(task, message, once));
        task.workedOnBy(thread);
        meter.started(message.text());
        thread.start();
    }

    /** Moves a task into a final state; false when it is over already. */
    boolean end(AgentTask task, TaskState state, String text) {
        boolean moved = task.move(state, text, clock.instant());
        if (moved) {
            store.finished(task);
            journal.ended(task, clock.instant());
            parking.wake();
        }
        return moved;
    }

    /** Lets go of the tasks that wait. */
    void stop() {
        parking.stop();
    }

    private void run(AgentTask task, IncomingMessage message, Supplier<String> prompt) {
        String failure = "";
        boolean rests = false;
        try {
            if (task.begin(clock.instant())) {
                failure = answer(task, message, prompt);
            }
        } catch (Parked waits) {
            rests = true;
            LOGGER.atInfo()
                    .addKeyValue("taskId", task.id())
                    .addKeyValue("for", waits.getMessage())
                    .log("task waits");
            note(task, TaskFile.row("rested"));
            var context = TraceContext.here(); // who wakes it works in another one, or in none
            parking.park(
                    task,
                    waits.until(),
                    () -> context.during(() -> {
                        goOn(task, message, prompt);
                        return task;
                    }));
        } finally {
            task.leftBy(Thread.currentThread());
            meter.ended(failure);
            if (!rests) {
                over.accept(message);
            }
        }
    }

    private void goOn(AgentTask task, IncomingMessage message, Supplier<String> prompt) {
        if (task.isFinal() || task.isSuspended()) {
            over.accept(message);
        } else {
            start(task, message, prompt);
        }
    }

    /** What is asked is made once, however often the task rests: the news in it are taken away with it. */
    private static final class Once implements Supplier<String> {
        private final Supplier<String> made;
        private @Nullable String text;

        Once(Supplier<String> made) {
            this.made = made;
        }

        @Override
        public synchronized String get() {
            String known = text == null ? made.get() : text;
            text = known;
            return known;
        }
    }

    private void note(AgentTask task, ObjectNode row) {
        TaskFile file = journal.find(task.id());
        if (file != null) {
            boolean _ = file.add(row); // what cannot be kept is not gone on with later, and goes on now
        }
    }

    /** Why it failed; empty when it did not. */
    private String answer(AgentTask task, IncomingMessage message, Supplier<String> prompt) {
        try {
            String text = prompt.get();
            if (text.isBlank()) {
                end(task, TaskState.FAILED, NO_TEXT);
                return ""; // the sender's mistake says nothing about the agent's health
            }
            var reply = new TaskReply(task, store, meter, journal.find(task.id()));
            executor.answer(
                    new Prompt(task.id(), task.contextId(), text, message.message(), message.metadata()), reply);
            reply.close();
            if (reply.isRejected()) {
                end(task, TaskState.REJECTED, reply.question());
            } else if (reply.question().isEmpty()) {
                List<AnsweredPart> parts =
                        new ArrayList<>(surroundings.answerFiles().namedIn(task.answerSoFar()));
                parts.addAll(reply.parts());
                task.attach(parts);
                end(task, TaskState.COMPLETED, "");
            } else {
                store.finished(task); // first: once it has moved, the next message may be here
                note(
                        task,
                        TaskFile.row("asked")
                                .put("question", reply.question())
                                .put("at", clock.instant().toEpochMilli()));
                task.move(reply.asked(), reply.question(), clock.instant());
            }
            return "";
        } catch (Parked waits) {
            throw waits;
        } catch (Throwable e) { // an Error too must not leave a task that works for ever
            return fail(task, e);
        }
    }

    private String fail(AgentTask task, Throwable failure) {
        if (task.isFinal() || task.isSuspended()) {
            return ""; // cancelled, or its successor goes on: the executor was interrupted, or spoke to a reply that
            // takes nothing more
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
