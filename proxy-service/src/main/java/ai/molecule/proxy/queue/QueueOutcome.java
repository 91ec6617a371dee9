package ai.molecule.proxy.queue;

/** How a message's wait ended. */
public sealed interface QueueOutcome {

    /** @param body what the agent said */
    record Answered(byte[] body) implements QueueOutcome {}

    /** The agent has run it, and what it says is an error. */
    record Refused(String error) implements QueueOutcome {}

    /** @param unknown whether the agent may have run it */
    record Failed(String error, boolean unknown) implements QueueOutcome {}
}
