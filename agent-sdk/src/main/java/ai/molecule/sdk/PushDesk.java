package ai.molecule.sdk;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Lets a bounded number of pushed messages at a handler, and none of them twice. */
final class PushDesk {

    /** There is no handler yet, or too much to do. */
    static final class Busy extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private static final Logger LOGGER = System.getLogger(PushDesk.class.getName());

    private final RemoteAgentClient client;
    private final HandledMessages handled;
    private final Semaphore places;
    private volatile @Nullable MessageHandler handler;

    PushDesk(RemoteAgentClient client, HandledMessages handled, int maxConcurrent) {
        this.client = client;
        this.handled = handled;
        this.places = new Semaphore(maxConcurrent);
    }

    void open(MessageHandler fresh) {
        handler = fresh;
    }

    void close() {
        handler = null;
    }

    /**
     * The handler's answer, or the one it gave when the same message came before.
     *
     * @throws ExecutionException when the handler failed
     */
    @Nullable
    String handle(InboundMessage message) throws Busy, ExecutionException, InterruptedException {
        MessageHandler current = handler;
        if (current == null || !places.tryAcquire()) {
            throw new Busy();
        }
        try {
            String id = message.sourceId() + " " + message.activityId();
            Optional<CompletableFuture<@Nullable String>> before = handled.begin(id);
            return before.isPresent() ? before.get().get() : handleFirst(id, message, current);
        } finally {
            places.release();
        }
    }

    private @Nullable String handleFirst(String id, InboundMessage message, MessageHandler current)
            throws ExecutionException {
        try {
            String answer = current.handle(message, client);
            handled.answered(id, answer);
            return answer;
        } catch (Throwable failure) {
            handled.failed(id, failure);
            if (failure instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            LOGGER.log(Level.WARNING, "message " + message.activityId() + " could not be handled", failure);
            throw new ExecutionException(failure);
        }
    }
}
