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

    private final ConfigStore store;
    private final int bytesMax;
    private final Clock clock;

    /** @param bytesMax what one workspace may keep */
    public ConfigService(ConfigStore store, int bytesMax, Clock clock) {
        this.store = store;
        this.bytesMax = bytesMax;
        this.clock = clock;
    }

    /** An empty object when nothing was kept, whether or not there is such a workspace. */
    Future<JsonNode> get(UUID workspaceId) {
        return store.find(workspaceId).map(found -> Json.stored(found.orElse("{}")));
    }

    Future<Void> merge(UUID workspaceId, ObjectNode members) {
        return store.merge(workspaceId, Json.text(members), bytesMax, clock.instant())
                .compose(merged -> merged ? Future.succeededFuture() : Future.failedFuture(tooLarge()));
    }

    static ApiError tooLarge() {
        return new ApiError(ApiError.Kind.TOO_LARGE, "body too large or unreadable");
    }
}
