package ai.molecule.registry.configs;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** What {@link ConfigService} needs from persistence. */
public interface ConfigStore {

    /** The object as JSON text; empty when nothing was kept. */
    Future<Optional<String>> find(UUID workspaceId);

    /**
     * Puts the members of a JSON object in place of those of the same name.
     *
     * @return false when the whole would be longer than {@code bytesMax}; fails with NOT_FOUND for an unknown or removed workspace
     */
    Future<Boolean> merge(UUID workspaceId, String members, int bytesMax, Instant now);
}
