package ai.molecule.registry.keyvalues;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key that has not expired.
 *
 * @param value JSON text
 * @param version 1 when created, one more with every write
 * @param expiresAt null when it never does
 */
public record KeyValue(
        String key,
        String value,
        long version,
        Instant updatedAt,
        @Nullable Instant expiresAt) {

    /** {@code {"key", "value", "version", "updated_at"}}, with {@code expires_at} only where there is one. */
    ObjectNode toJson() {
        var body = Json.object().put("key", key);
        body.set("value", Json.stored(value));
        body.put("version", version).put("updated_at", Json.time(updatedAt));
        return expiresAt == null ? body : body.put("expires_at", Json.time(expiresAt));
    }
}
