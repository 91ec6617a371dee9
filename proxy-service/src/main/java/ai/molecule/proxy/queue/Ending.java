package ai.molecule.proxy.queue;

/** How a message's wait ended. */
public sealed interface Ending {

    /** @param body what the agent said */
    record Answered(byte[] body) implements Ending {}

    /** @param unknown whether the agent may have run it */
    record Failed(String error, boolean unknown) implements Ending {}
}
