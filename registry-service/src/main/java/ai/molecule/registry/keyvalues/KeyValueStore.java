package ai.molecule.registry.keyvalues;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What {@link KeyValueService} needs from persistence. Expired keys are never returned. */
public interface KeyValueStore {

    /**
     * What became of a write.
     *
     * @param written whether it was done
     * @param version the new version; when not written, the one found right afterwards, null when there was no such key
     */
    record Outcome(boolean written, @Nullable Long version) {}

    /** A page in key order, after the given key; ends early before it would exceed {@code bytesMax} of values. */
    Future<List<KeyValue>> list(UUID workspaceId, String after, int max, int bytesMax, Instant now);

    Future<Optional<KeyValue>> find(UUID workspaceId, String key, Instant now);

    /**
     * Writes atomically, expired keys included; fails with NOT_FOUND for an unknown or removed workspace, and with
     * INSUFFICIENT_STORAGE beyond its quota, though its expired keys were forgotten.
     */
    Future<Outcome> put(UUID workspaceId, KeyWrite write, Instant now);

    Future<Void> delete(UUID workspaceId, String key);

    /** Deletes keys that expired before the given time, at most {@code max}; does nothing while another replica is at it. */
    Future<Integer> deleteExpired(Instant before, int max);
}
