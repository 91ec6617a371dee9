package ai.molecule.proxy.a2a.messages;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.a2a.calls.A2aAnswer;
import ai.molecule.proxy.a2a.calls.DeferredMessage;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Where a message goes whose agent is too busy. */
@FunctionalInterface
public interface BusyQueue {

    /** @param depth how many messages wait for the same agent, this one included */
    record Waiting(UUID id, int depth, int priority, Instant expiresAt) {

        /** What its sender is told. */
        A2aAnswer answer() {
            return new A2aAnswer.Whole(
                    202,
                    Json.buffer(Json.object()
                            .put("queued", true)
                            .put("queue_id", id.toString())
                            .put("queue_depth", depth)
                            .put(
                                    "message",
                                    "workspace agent busy — request queued, will dispatch when capacity available")
                            .put("priority", priority)
                            .put("expires_at", Json.time(expiresAt))));
        }
    }

    /**
     * Durable when it completes; the same message of the same caller waits once.
     *
     * @param messageId null when the message has none
     * @return fails with UNAVAILABLE when too many wait
     */
    Future<Waiting> keep(DeferredMessage deferred, String method, @Nullable String messageId);
}
