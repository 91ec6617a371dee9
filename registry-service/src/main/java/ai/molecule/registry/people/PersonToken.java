package ai.molecule.registry.people;

import ai.molecule.common.auth.Role;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A token of a person's as lists show it.
 *
 * @param role what it opens at most
 * @param branch where; null for wherever the person has a role
 */
public record PersonToken(
        UUID id,
        String prefix,
        String name,
        Role role,
        @Nullable UUID branch,
        Instant createdAt,
        Instant expiresAt,
        @Nullable Instant lastUsedAt) {

    /** {@code {"id", "prefix", "name", "role"[, "branch"], "created_at", "expires_at"[, "last_used_at"]}}. */
    ObjectNode toJson() {
        var body = Json.object()
                .put("id", id.toString())
                .put("prefix", prefix)
                .put("name", name)
                .put("role", role.wire());
        if (branch != null) {
            body.put("branch", branch.toString());
        }
        body.put("created_at", Json.time(createdAt)).put("expires_at", Json.time(expiresAt));
        return lastUsedAt == null ? body : body.put("last_used_at", Json.time(lastUsedAt));
    }
}
