package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import org.jspecify.annotations.Nullable;

/**
 * Somebody at a messenger says the code that a person was shown. Called by events-service; a code works once, so whoever hears no answer asks
 * for a new one.
 *
 * @param channel by which it came, {@code telegram}
 * @param sender as the messenger knows it
 */
public record LinkChat(String code, String channel, String sender) {

    public static final Contract<LinkChat, Linked> CONTRACT =
            Contract.of("registry.link-chat", LinkChat.class, Linked.class);

    /**
     * @param login of whose code it was; null where it was nobody's, or too many were tried
     * @param tokenHash by which {@link VerifyToken} says from now on what the person may there; the token itself nobody has
     */
    public record Linked(@Nullable String login, @Nullable String tokenHash) {}

    @Override
    public String toString() {
        return "LinkChat[" + channel + "]"; // a code never reaches a log
    }
}
