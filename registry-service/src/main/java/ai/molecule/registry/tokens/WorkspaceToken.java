package ai.molecule.registry.tokens;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A live token as its owner sees it: never the token itself. */
public record WorkspaceToken(
        UUID id, String prefix, Instant createdAt, @Nullable Instant lastUsedAt) {

    /** {@code {"id", "prefix", "created_at", "last_used_at": time or null}}. */
    ObjectNode toJson() {
        return Json.object()
                .put("id", id.toString())
                .put("prefix", prefix)
                .put("created_at", Json.time(createdAt))
                .put("last_used_at", Json.timeOrNull(lastUsedAt));
    }
}
