package ai.molecule.registry.secrets;

import ai.molecule.common.bus.registry.SecretsFor;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What {@link SecretService} needs from persistence. */
public interface SecretStore {

    /** The workspace's own by key, then the global ones it does not cover by key. */
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

    /** With requests for the restarts of all whom it concerns; fails with CONFLICT when there would be too many. */
    Future<Void> setGlobal(Secret secret, Instant now);

    Future<Boolean> deleteGlobal(String key, Instant now);

    /** The global values and the workspace's own over them; fails with NOT_FOUND for an unknown or removed workspace. */
    Future<SecretsFor.Bundle> open(UUID workspaceId);

    /** The workspace's own value, not a global one; fails with INTERNAL when it cannot be decrypted. */
    Future<Optional<Secret>> find(UUID workspaceId, String key);
}
