package ai.molecule.common.bus.proxy;

import ai.molecule.common.bus.Contract;
import java.util.UUID;

/**
 * A person asks for a piece of work elsewhere than at the platform. Called by events-service, which has looked whether the person may; durable
 * when it is answered, and the same {@code id} again begins nothing. NOT_FOUND for an agent that is not there, UNAVAILABLE where too many
 * wait for it.
 *
 * @param words what the agent reads; its first line is the work's title
 * @param askedBy the person and the way it came, as the record has it
 * @param context the conversation that it belongs to
 */
public record AskForWork(UUID id, UUID to, String words, String askedBy, String context) {

    public static final Contract<AskForWork, Asked> CONTRACT =
            Contract.of("proxy.ask-for-work", AskForWork.class, Asked.class);

    /** @param fresh false where it had been asked for before */
    public record Asked(boolean fresh) {}
}
