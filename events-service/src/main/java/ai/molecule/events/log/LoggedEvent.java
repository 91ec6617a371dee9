package ai.molecule.events.log;

import ai.molecule.common.events.Event;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;

/** A recorded event with its row id; its position is never null. */
public record LoggedEvent(UUID id, Event event) {

    public long seq() {
        Long seq = event.seq();
        return seq == null ? 0 : seq;
    }

    /** {@code {"id", "event_type", "workspace_id"|null, "payload", "created_at", "seq"}}. */
    public ObjectNode toJson() {
        var workspaceId = event.workspaceId();
        var row = Json.object()
                .put("id", id.toString())
                .put("event_type", event.type())
                .put("workspace_id", workspaceId == null ? null : workspaceId.toString());
        row.set("payload", event.payload());
        return row.put("created_at", Json.time(event.timestamp())).put("seq", event.seq());
    }
}
