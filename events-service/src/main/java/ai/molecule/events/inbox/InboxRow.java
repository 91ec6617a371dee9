package ai.molecule.events.inbox;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A thing that waits for a person, or did.
 *
 * @param position of its last change in the inbox
 * @param expiresAt when it ends by itself; null for never
 * @param resolved whether it waits no more
 */
record InboxRow(
        UUID id,
        long position,
        String kind,
        UUID workspaceId,
        String words,
        JsonNode details,
        Instant openedAt,
        @Nullable Instant expiresAt,
        boolean resolved) {

    /** {@code {"id", "kind", "part", "workspace_id", "workspace_name", "text", "since", "expires_at", "position", "dismissible", "details"}}. */
    ObjectNode toJson(@Nullable String workspaceName) {
        var source = InboxSource.find(kind);
        var body = Json.object()
                .put("id", id.toString())
                .put("kind", kind)
                .put(
                        "part",
                        source.map(InboxSource::part)
                                .orElse(InboxSource.Part.FIX)
                                .wire())
                .put("workspace_id", workspaceId.toString())
                .put("workspace_name", workspaceName)
                .put("text", words)
                .put("since", Json.time(openedAt))
                .put("expires_at", Json.timeOrNull(expiresAt))
                .put("position", position)
                .put("dismissible", source.map(InboxSource::dismissible).orElse(true));
        body.set("details", details);
        return body;
    }
}
