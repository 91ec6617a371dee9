package ai.molecule.sdk;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * What an agent does with a message; the same for messages that are fetched and for those that are pushed.
 *
 * <pre>{@code
 * MessageHandler echo = (message, client) -> "You said: " + message.text();
 * MessageHandler patient = MessageHandler.async((message, client) -> model.answer(message.text()));
 * }</pre>
 *
 * <p>It may block for as long as it likes: heartbeats go out on a thread of their own meanwhile. Fetched messages come one
 * after the other, in order; pushed ones come at the same time, on several threads.
 */
@FunctionalInterface
public interface MessageHandler {

    /**
     * Handles one message.
     *
     * @return the reply, sent to whoever wrote the message; null or blank: none
     * @throws Exception for whatever reason: it is logged, a pushed message is answered with an error, and the next message
     *     is handled
     */
    @Nullable
    String handle(InboundMessage message, RemoteAgentClient client) throws Exception;

    /** A handler that works on threads of its own. The message counts as handled when the stage is complete. */
    static MessageHandler async(
            BiFunction<InboundMessage, RemoteAgentClient, ? extends CompletionStage<? extends @Nullable String>>
                    handler) {
        return (message, client) -> {
            try {
                return handler.apply(message, client).toCompletableFuture().get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        };
    }
}
