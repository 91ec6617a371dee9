package ai.molecule.runtime.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One kind of agent. A single instance answers many messages at the same time. Only the first two methods must be written. */
public interface AgentExecutor extends AutoCloseable {

    /** What the agent card says this agent can do. */
    Skill skill();

    /**
     * Answers one message. Runs on a virtual thread of its own, may block, and is interrupted when the task is cancelled;
     * returning normally completes the task, unless the reply was told to {@linkplain Reply#ask ask}.
     *
     * @throws AgentFailure when the task fails for a reason its sender may read
     * @throws Exception for any other reason; the sender learns no more than the class of it
     */
    void answer(Prompt prompt, Reply reply) throws Exception;

    /** All that the card says it can do, which may change while it runs. May read files. */
    default List<Skill> skills() {
        return List.of(skill());
    }

    /** Whether it keeps {@link Reply#steps} and goes on behind the last one when it is given a task again: its tasks then survive the agent's end. */
    default boolean resumes() {
        return false;
    }

    /**
     * Whether a message that begins something is answered with a message, and nobody is told of a task: for what is over at once. Asked before
     * {@link #answer}, on an event loop. One that fails is told as a task all the same.
     */
    default boolean answersDirectly(String messageId, String text) {
        return false;
    }

    /** What it takes over from the platform; told with every heartbeat. */
    default Capabilities capabilities() {
        return Capabilities.NONE;
    }

    /** Whether what it runs keeps a login of its own, so that nobody meters what its models cost; the card says so. */
    default boolean hasOwnLogin() {
        return false;
    }

    /** Why nothing it is asked will be answered any more, until somebody helps; empty when it works. Asked before every heartbeat. */
    default Optional<String> wedged() {
        return Optional.empty();
    }

    /**
     * A part of its session for its owner. May block.
     *
     * @param since a cursor, from 0
     * @param limit how many lines at most, from 1
     */
    default Transcript transcript(int since, int limit) {
        return Transcript.none(since);
    }

    /** Whether {@link #takeOtherValues} makes it use other values of secrets, so that it need not be restarted for them. */
    default boolean takesOtherValues() {
        return false;
    }

    /** The process's variables, some with other values than before: for whatever begins from now on. May be called by any thread. */
    default void takeOtherValues(Map<String, String> environment) {}

    /** What it needs to go on where it is, asked before it is stopped; without secrets. */
    default ObjectNode stateToKeep() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Told before the first message what {@link #stateToKeep} gave before the last stop; never called without. */
    default void restore(JsonNode state) {}

    /** Lets go of what it holds, when nothing is answered any more. */
    @Override
    default void close() {}
}
