package ai.molecule.runtime.tasks;

import ai.molecule.runtime.agent.AgentFailure;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.StepJournal;
import ai.molecule.runtime.agent.ToolUse;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** Puts what an executor says into its task, within what a task may hold. */
final class TaskReply implements Reply {

    static final String NOTHING_SAID = "(no response generated)";

    /** Of one task; further ones are used and not shown. */
    private static final int TOOLS_MAX = 200;

    private static final int PARTS_MAX = 100;

    private final AgentTask task;
    private final TaskStore store;
    private final WorkMeter meter;
    private final @Nullable TaskFile file;
    private final List<AnsweredPart> parts = new ArrayList<>();
    private boolean spoken;
    private String question = "";
    private TaskState asked = TaskState.INPUT_REQUIRED;

    /** @param file null when the task is not kept */
    TaskReply(AgentTask task, TaskStore store, WorkMeter meter, @Nullable TaskFile file) {
        this.file = file;
        this.task = task;
        this.store = store;
        this.meter = meter;
        this.spoken = !task.answerSoFar().isEmpty(); // before the agent was restarted, perhaps
    }

    @Override
    public void chunk(String text) {
        append(text, false);
    }

    @Override
    public void text(String text) {
        append(text, true);
    }

    @Override
    public void ask(String words) {
        question = words.isBlank() ? NOTHING_SAID : words;
        makeRoom(question);
    }

    @Override
    public void askToSignIn(String words) {
        ask(words);
        asked = TaskState.AUTH_REQUIRED;
    }

    @Override
    public void reject(String why) {
        ask(why);
        asked = TaskState.REJECTED;
    }

    @Override
    public void data(ObjectNode data) {
        String json = data.toString();
        attach(json, new AnsweredData(json));
    }

    @Override
    public void link(String uri, String name, String mediaType) {
        attach(uri + name, new AnsweredFile(uri, name, mediaType));
    }

    private void attach(String held, AnsweredPart part) {
        makeRoom(held);
        if (parts.size() >= PARTS_MAX) {
            throw new AgentFailure("no more than " + PARTS_MAX + " pieces go with an answer");
        }
        parts.add(part);
    }

    /** What goes with the answer. */
    List<AnsweredPart> parts() {
        return parts;
    }

    @Override
    public void step(String what) {
        meter.at(what);
    }

    @Override
    public void used(ToolUse tool) {
        if (task.toolCount() < TOOLS_MAX && store.makeRoomForChunk(task, tool.input() + tool.outputPreview())) {
            task.noteTool(tool);
            if (file != null) {
                boolean _ = file.add(
                        TaskFile.row("tool")
                                .put("tool", tool.tool())
                                .put("input", tool.input())
                                .put("output", tool.outputPreview()),
                        false); // only shown
            }
        }
    }

    @Override
    public StepJournal steps() {
        return file == null ? StepJournal.NONE : file;
    }

    /** What the sender is asked, or why it is rejected; empty when it is neither. */
    String question() {
        return question;
    }

    boolean isRejected() {
        return asked == TaskState.REJECTED;
    }

    /** How a task stands that asks. */
    TaskState asked() {
        return asked;
    }

    /** An answer is never empty. */
    void close() {
        if (!spoken && parts.isEmpty() && question.isEmpty()) {
            append(NOTHING_SAID, true);
        }
    }

    private void append(String text, boolean last) {
        if (text.isEmpty()) {
            return;
        }
        makeRoom(text);
        if (!task.append(text, last)) {
            throw new CancellationException("task " + task.id() + " is over");
        }
        spoken = true;
    }

    private void makeRoom(String text) {
        if (task.isFinal()) {
            throw new CancellationException("task " + task.id() + " is over");
        }
        if (!store.makeRoomForChunk(task, text)) {
            throw new AgentFailure("the answer is larger than the agent can hold");
        }
    }
}
