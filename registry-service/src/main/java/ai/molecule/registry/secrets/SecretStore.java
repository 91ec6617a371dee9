package ai.molecule.registry.secrets;

import ai.molecule.common.bus.registry.SecretsFor;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** What {@link SecretService} needs from persistence. */
public interface SecretStore {

    /**
     * What an agent is told.
     *
     * @param globalKeys of the values that are global ones
     */
    record Opened(SecretsFor.Bundle bundle, List<String> globalKeys) {}

    /** Where one run of {@link #rotate} came to; {@code remaining} are still sealed otherwise, or not sealed at all. */
    record Rotated(int rotated, long remaining) {}

    /** The workspace's own by key, then the global ones it may read and does not cover by key. */
    Future<List<SecretEntry>> list(UUID workspaceId);

    Future<List<SecretEntry>> listGlobal();

    /**
     * Stores all or none; fails with NOT_FOUND for an unknown or removed workspace and CONFLICT when it would have too many.
     *
     * @param restart whether to ask for a restart in the same transaction
     */
    Future<Void> set(UUID workspaceId, List<Secret> secrets, boolean restart, Instant now);

    /** With a request for a restart; false when there is none of that key. */
    Future<Boolean> delete(UUID workspaceId, String key, Instant now);

    /**
     * With requests for the restarts of all whom it concerns; fails with CONFLICT when there would be too many, and with INVALID for
     * a grant to a workspace that is not there.
     *
     * @param grants empty leaves them as they are, and is for everybody where there was no such secret
     */
    Future<Void> setGlobal(Secret secret, Optional<Grants> grants, Instant now);

    Future<Boolean> deleteGlobal(String key, Instant now);

    /** The global values it may read, its own over them; fails with NOT_FOUND for an unknown or removed workspace. */
    Future<Opened> open(UUID workspaceId);

    /** The workspace's own value, not a global one; fails with INTERNAL when it cannot be decrypted. */
    Future<Optional<Secret>> find(UUID workspaceId, String key);

    /** Notes who read their own values, and which global ones were read; those being changed just now are left out. */
    Future<Void> noteReads(Map<UUID, Instant> workspaces, Map<String, Instant> globalKeys);

    /**
     * Seals with the present key what is sealed otherwise, a hundred rows a transaction: what is killed leaves rows of both kinds,
     * which all open, and the next run goes on. Rows that cannot be opened, or are being changed just now, are left alone.
     *
     * @param batchesMax after which it ends, with more to do
     */
    Future<Rotated> rotate(String keyId, int batchesMax);
}
