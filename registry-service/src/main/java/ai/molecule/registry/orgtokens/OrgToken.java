package ai.molecule.registry.orgtokens;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A live org token as administrators see it: never the token itself.
 *
 * @param createdBy who made it: {@code admin-token}, {@code session}, {@code org-token:<prefix>} or {@code workspace:<id>}
 */
public record OrgToken(
        UUID id,
        String prefix,
        @Nullable String name,
        String createdBy,
        Instant createdAt,
        @Nullable Instant lastUsedAt) {

    /** {@code {"id", "prefix"[, "name"], "created_by", "created_at"[, "last_used_at"]}}; what is not known is absent. */
    ObjectNode toJson() {
        var body = Json.object().put("id", id.toString()).put("prefix", prefix);
        if (name != null) {
            body.put("name", name);
        }
        body.put("created_by", createdBy).put("created_at", Json.time(createdAt));
        return lastUsedAt == null ? body : body.put("last_used_at", Json.time(lastUsedAt));
    }
}
