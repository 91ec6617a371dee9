package ai.molecule.runtime.agent;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Takes an executor's answer, in pieces or at once. Pieces are joined without anything between them; readers of a
 * stream see each as it comes.
 *
 * <p>All of them throw {@link java.util.concurrent.CancellationException} when the task is over already, and
 * {@link AgentFailure} when the answer outgrows what a task may hold;
 * neither is for an executor to catch.
 */
public interface Reply {

    /** The next piece of the answer; an empty one is ignored. */
    void chunk(String text);

    /** The whole answer, or the last piece of it. */
    void text(String text);

    /** The sender is asked this when the executor returns, and its next message continues the task: it is not completed. */
    void ask(String question);

    /** The same, where what is missing is somebody's leave at another place: the task is {@code auth-required}. */
    default void askToSignIn(String what) {
        ask(what);
    }

    /** The agent does not take this on, and the task is over when the executor returns. */
    default void reject(String why) {
        throw new AgentFailure(why);
    }

    /** Data that go with the answer, behind its words; all of them are held with the task. */
    default void data(ObjectNode data) {}

    /** Something elsewhere that goes with the answer, behind its words. */
    default void link(String uri, String name, String mediaType) {}

    /** What it does now, in a few words: shown as its current task until the next step or the end. */
    default void step(String what) {}

    /** A tool was used; shown beside the answer. More than a few hundred are not kept. */
    default void used(ToolUse tool) {}

    /** A model has spoken. */
    default void turned(ModelTurn turn) {}

    /** What was done for this task before, and where the next step of it is kept. */
    default StepJournal steps() {
        return StepJournal.NONE;
    }
}
