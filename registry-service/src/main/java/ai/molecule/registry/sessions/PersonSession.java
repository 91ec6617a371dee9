package ai.molecule.registry.sessions;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A person's session as its owner sees it in a list.
 *
 * @param shown the beginning of its hash, as the record shows it
 * @param agent what the browser calls itself
 * @param provider where it was signed in; null for the platform's own accounts
 */
record PersonSession(
        UUID id,
        String shown,
        @Nullable String address,
        @Nullable String agent,
        @Nullable String provider,
        Instant createdAt,
        Instant expiresAt) {

    /** {@code {"id"[, "address", "agent", "provider"], "created_at", "expires_at", "this"}}. @param asking the credential that asks */
    ObjectNode toJson(String asking) {
        var body = Json.object().put("id", id.toString());
        if (address != null) {
            body.put("address", address);
        }
        if (agent != null) {
            body.put("agent", agent);
        }
        if (provider != null) {
            body.put("provider", provider);
        }
        return body.put("created_at", Json.time(createdAt))
                .put("expires_at", Json.time(expiresAt))
                .put("this", asking.equals("session:" + shown));
    }
}
