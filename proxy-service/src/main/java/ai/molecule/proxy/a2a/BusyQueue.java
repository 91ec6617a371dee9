package ai.molecule.proxy.a2a;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Where a message goes whose agent is too busy. */
@FunctionalInterface
public interface BusyQueue {

    /** @param depth how many messages wait for the same agent, this one included */
    record Waiting(UUID id, int depth, int priority, Instant expiresAt) {}

    /**
     * Durable when it completes; the same message of the same caller waits once.
     *
     * @param messageId null when the message has none
     * @return fails with UNAVAILABLE when too many wait
     */
    Future<Waiting> keep(Parcel parcel, String method, @Nullable String messageId);
}
