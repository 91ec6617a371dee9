package ai.molecule.registry.secrets;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who was told secrets since the last flush. Lost with the process, and beyond 10,000 workspaces: it answers whether a secret is
 * still in use, and is no record of who read it. To be used on one event loop.
 */
public final class SecretReads {

    private static final Logger LOGGER = LoggerFactory.getLogger(SecretReads.class);

    private static final int WORKSPACES_MAX = 10_000;

    private final PgSecretReads store;
    private Map<UUID, Instant> workspaces = new HashMap<>();
    private Map<String, Instant> globalKeys = new HashMap<>();

    public SecretReads(PgSecretReads store) {
        this.store = store;
    }

    void note(UUID workspaceId, List<String> globals, Instant at) {
        if (workspaces.size() < WORKSPACES_MAX) {
            workspaces.put(workspaceId, at);
        }
        globals.forEach(
                key -> globalKeys.put(key, at)); // a hundred at most, besides those deleted since the last flush
    }

    /** Never fails: the next read says as much. */
    Future<Void> flush() {
        var own = workspaces;
        var global = globalKeys;
        workspaces = new HashMap<>();
        globalKeys = new HashMap<>();
        return store.note(own, global)
                .onFailure(failure -> LOGGER.atDebug().setCause(failure).log("reads of secrets not noted"))
                .otherwiseEmpty();
    }
}
