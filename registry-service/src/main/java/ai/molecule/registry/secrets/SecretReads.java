package ai.molecule.registry.secrets;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which secrets were handed out since the last flush, and for whom. Lost with the process, and beyond {@link #READS_MAX}: it answers
 * whether a secret is still in use, and by whom; the record of who read it is the audit log. To be used on one event loop.
 */
public final class SecretReads {

    /** The last time that one secret was handed out. */
    record Read(UUID workspaceId, String key, Instant at) {}

    private record OwnSecret(UUID workspaceId, String key) {}

    private static final Logger LOGGER = LoggerFactory.getLogger(SecretReads.class);

    private static final int READS_MAX = 20_000;

    private final PgSecretReads store;
    private Map<OwnSecret, Read> own = new HashMap<>();
    private Map<String, Read> global = new HashMap<>();

    public SecretReads(PgSecretReads store) {
        this.store = store;
    }

    /** @param globals those of the keys that are global ones */
    void note(UUID workspaceId, Collection<String> keys, Set<String> globals, Instant at) {
        for (String key : keys) {
            var read = new Read(workspaceId, key, at);
            if (globals.contains(key)) {
                global.put(key, read); // a hundred at most, besides those deleted since the last flush
            } else if (own.size() < READS_MAX) {
                own.put(new OwnSecret(workspaceId, key), read);
            }
        }
    }

    /** Never fails: the next read says as much. */
    Future<Void> flush() {
        var ownReads = List.copyOf(own.values());
        var globalReads = List.copyOf(global.values());
        own = new HashMap<>();
        global = new HashMap<>();
        return store.note(ownReads, globalReads)
                .onFailure(failure -> LOGGER.atDebug().setCause(failure).log("reads of secrets not noted"))
                .otherwiseEmpty();
    }
}
