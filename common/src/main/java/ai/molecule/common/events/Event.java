package ai.molecule.common.events;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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

    /** By type of event, the members of the payload that clients also expect at the top level (decision 15). */
    private static final Map<String, List<String>> BESIDE_PAYLOAD =
            Map.of("APPROVAL_DECIDED", List.of("approval_id", "status", "decided_by"));

    /** {@code {"event", "workspace_id", "timestamp", "payload"[, "seq"]}}: one WebSocket text frame. */
    public ObjectNode toEnvelope() {
        var envelope = Json.object()
                .put("event", type)
                .put("workspace_id", workspaceId == null ? "" : workspaceId.toString())
                .put("timestamp", Json.time(timestamp));
        envelope.set("payload", payload);
        BESIDE_PAYLOAD.getOrDefault(type, List.of()).stream()
                .filter(payload::has)
                .forEach(member -> envelope.set(member, payload.get(member)));
        if (seq != null) {
            envelope.put("seq", seq);
        }
        return envelope;
    }
}
