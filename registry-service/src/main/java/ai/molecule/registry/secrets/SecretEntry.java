package ai.molecule.registry.secrets;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;

/**
 * A secret as it is listed: never its value.
 *
 * @param scope {@code workspace} or {@code global}
 */
record SecretEntry(String key, String scope, Instant createdAt, Instant updatedAt) {

    static ArrayNode toJson(List<SecretEntry> entries) {
        var list = Json.MAPPER.createArrayNode();
        entries.forEach(entry -> list.add(entry.toJson()));
        return list;
    }

    /** {@code {"key", "has_value": true, "scope", "created_at", "updated_at"}}. */
    private ObjectNode toJson() {
        return Json.object()
                .put("key", key)
                .put("has_value", true)
                .put("scope", scope)
                .put("created_at", Json.time(createdAt))
                .put("updated_at", Json.time(updatedAt));
    }
}
