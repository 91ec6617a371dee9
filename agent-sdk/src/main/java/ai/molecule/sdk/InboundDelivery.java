package ai.molecule.sdk;

import java.time.Duration;

/**
 * How messages come to an agent. {@link PollDelivery} and {@link PushDelivery} are the two there are; an agent may bring
 * its own. {@code runOnce} and {@code pause} are called by one thread, {@code wake} and {@code stop} by any.
 *
 * <pre>{@code
 * while (!done) {
 *     delivery.runOnce(handler);
 *     Thread.sleep(delivery.pause().toMillis());
 * }
 * delivery.stop();
 * }</pre>
 */
public interface InboundDelivery {

    /**
     * Gives what has arrived to the handler, one message after the other.
     *
     * @return how many messages were handled
     * @throws PlatformException when the platform did not say what has arrived; the next call may succeed
     */
    int runOnce(MessageHandler handler);

    /** How long to wait before the next {@code runOnce}; zero when that one waits by itself. */
    Duration pause();

    /** Ends a wait inside {@code runOnce} early; messages being handled are finished, further ones left for the next call. */
    void wake();

    /** Ends for good: {@code runOnce} handles nothing any more. May be called more than once. */
    void stop();
}
