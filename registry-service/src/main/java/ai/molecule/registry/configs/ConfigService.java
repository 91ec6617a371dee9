package ai.molecule.registry.configs;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.UUID;

/** The rules about configs. */
public final class ConfigService {

    /** What one workspace may keep: 1 MiB. */
    private static final int BYTES_MAX = 1024 * 1024;

    private final ConfigStore store;
    private final Clock clock;

    public ConfigService(ConfigStore store, Clock clock) {
        this.store = store;
        this.clock = clock;
    }

    /** An empty object when nothing was kept, whether or not there is such a workspace. */
    Future<JsonNode> get(UUID workspaceId) {
        return store.find(workspaceId).map(found -> Json.stored(found.orElse("{}")));
    }

    Future<Void> merge(UUID workspaceId, ObjectNode members) {
        return store.merge(workspaceId, Json.text(members), BYTES_MAX, clock.instant())
                .compose(merged -> merged ? Future.succeededFuture() : Future.failedFuture(tooLarge()));
    }

    static ApiError tooLarge() {
        return new ApiError(ApiError.Kind.TOO_LARGE, "body too large or unreadable");
    }
}
