package ai.molecule.registry.secrets;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A secret as it is listed: never its value.
 *
 * @param scope {@code workspace} or {@code global}
 * @param store where its value stands; null for one that is stored here
 * @param lastReadAt when its value was last handed out, to the minute; null before an agent first got it
 * @param lastReadBy for which workspace that was; null where it is not the reader's to know
 * @param outdated workspaces whose running agents have an older value, at most {@link PgSecretHolders#OUTDATED_MAX}
 */
record SecretEntry(
        String key,
        String scope,
        Instant createdAt,
        Instant updatedAt,
        @Nullable String store,
        @Nullable Instant lastReadAt,
        @Nullable UUID lastReadBy,
        List<UUID> outdated,
        Grants grants) {

    boolean isOwn() {
        return scope.equals("workspace");
    }

    /** {@code {"key", "has_value": true, "scope", "created_at", "updated_at"}}, {@code store, last_read_at, last_read_by, outdated} and {@code grants} where there are. */
    ObjectNode toJson() {
        var json = Json.object()
                .put("key", key)
                .put("has_value", true)
                .put("scope", scope)
                .put("created_at", Json.time(createdAt))
                .put("updated_at", Json.time(updatedAt));
        if (store != null) {
            json.put("store", store);
        }
        if (lastReadAt != null) {
            json.put("last_read_at", Json.time(lastReadAt));
        }
        if (lastReadBy != null) {
            json.put("last_read_by", lastReadBy.toString());
        }
        if (!outdated.isEmpty()) {
            var ids = json.putArray("outdated");
            outdated.forEach(id -> ids.add(id.toString()));
        }
        if (grants.branches() != null) {
            var ids = json.putArray("grants");
            grants.branches().forEach(id -> ids.add(id.toString()));
        }
        return json;
    }
}
