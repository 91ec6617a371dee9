package ai.molecule.common.events;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened, as clients hear of it.
 *
 * @param seq the position of a recorded event; null for an ephemeral one
 * @param payload always an object
 */
public record Event(
        @Nullable Long seq, String type, @Nullable UUID workspaceId, Instant timestamp, ObjectNode payload) {

    /** {@code {"event", "workspace_id", "timestamp", "payload"[, "seq"]}}: one WebSocket text frame. */
    public ObjectNode toEnvelope() {
        var envelope = Json.object()
                .put("event", type)
                .put("workspace_id", workspaceId == null ? "" : workspaceId.toString())
                .put("timestamp", Json.time(timestamp));
        envelope.set("payload", payload);
        if (seq != null) {
            envelope.put("seq", seq);
        }
        return envelope;
    }
}
