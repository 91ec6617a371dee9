package ai.molecule.runtime.agent;

/** One kind of agent. A single instance answers many messages at the same time. */
public interface AgentExecutor {

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
}
