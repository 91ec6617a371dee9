package ai.molecule.proxy.queue;

/** How a message's wait ended. */
public sealed interface Ending {

    /** @param body what the agent said */
    record Answered(byte[] body) implements Ending {}

    /** The agent has run it, and what it says is an error. */
    record Refused(String error) implements Ending {}

    /** @param unknown whether the agent may have run it */
    record Failed(String error, boolean unknown) implements Ending {}
}
