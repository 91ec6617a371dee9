package ai.molecule.common.bus.proxy;

import ai.molecule.common.bus.Contract;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Says something to an agent in the name of the platform: a {@code message/send} with role {@code user} and one text part. No access
 * rule is asked, because no workspace is the sender. Called by the provisioner, with the context of a restart.
 *
 * <p>The caller waits at most 10 s for the agent; the agent may work on for 30 min. What comes of it is written down in one activity
 * row of the workspace: {@code agent_log}, without a source, its summary {@code system:<name> → <workspace>}. It is neither part of
 * the chat nor in a poll feed, and no {@code A2A_RESPONSE} goes out.
 *
 * <p>Fails with NOT_FOUND for an unknown workspace; BUDGET_EXCEEDED; CONFLICT when it fetches its messages; UNAVAILABLE when it has no
 * URL (yet: the detail {@code status} says in which it is), when the agent has no capacity ({@code "busy":true}: nothing waits in the
 * queue), or when the platform's parts are away; BAD_GATEWAY when it was not reached. A failure with one of the details {@code delivered}
 * and {@code delivery_confirmed} means that the agent may have run the message; any other that it has not.
 *
 * <p>Sent at most once per call, and never again by the proxy. A time-out of the call means that the message may have arrived or may
 * still arrive. Calling again with the same {@code messageId} is safe with agents of our runtime, which run a message once; others may
 * run it twice.
 *
 * @param name what the platform speaks as: {@code restart-context} for {@code system:restart-context}
 * @param messageId one per message, the same when it is sent again
 * @param text at most {@value #TEXT_MAX_CHARS} characters, not blank
 * @param metadata the message's, JSON values; may be empty
 */
public record SendAsSystem(UUID workspaceId, String name, UUID messageId, String text, Map<String, Object> metadata) {

    public static final int TEXT_MAX_CHARS = 100_000;

    /** Of the agent, for an answer. */
    public static final Duration ANSWER_WAIT = Duration.ofSeconds(10);

    /** The wait, and before it 5 s for the route, 10 s for room to write the call down and 2 s for the engine's word. */
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    public static final Contract<SendAsSystem, Sent> CONTRACT =
            new Contract<>("proxy.send-as-system", SendAsSystem.class, Sent.class, DEADLINE);

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,63}");

    public SendAsSystem {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not a name the platform speaks as");
        }
        if (text.isBlank() || text.length() > TEXT_MAX_CHARS) {
            throw new IllegalArgumentException("a text is not blank and has at most " + TEXT_MAX_CHARS + " characters");
        }
        metadata = Map.copyOf(metadata);
    }

    /**
     * The agent has the message.
     *
     * @param answered whether it has answered, with a 2xx status; false while it works on
     */
    public record Sent(boolean answered) {}
}
