package ai.molecule.registry.secrets;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A secret as it is listed: never its value.
 *
 * @param scope {@code workspace} or {@code global}
 * @param lastReadAt null before an agent was first told
 */
record SecretEntry(
        String key,
        String scope,
        Instant createdAt,
        Instant updatedAt,
        @Nullable Instant lastReadAt,
        Grants grants) {

    boolean isOwn() {
        return scope.equals("workspace");
    }

    /** {@code {"key", "has_value": true, "scope", "created_at", "updated_at"}}, {@code last_read_at} and {@code grants} where there are. */
    ObjectNode toJson() {
        var json = Json.object()
                .put("key", key)
                .put("has_value", true)
                .put("scope", scope)
                .put("created_at", Json.time(createdAt))
                .put("updated_at", Json.time(updatedAt));
        if (lastReadAt != null) {
            json.put("last_read_at", Json.time(lastReadAt));
        }
        if (grants.branches() != null) {
            var ids = json.putArray("grants");
            grants.branches().forEach(id -> ids.add(id.toString()));
        }
        return json;
    }
}
