package ai.molecule.provisioner.reconcile;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Collection;
import java.util.UUID;

/**
 * The workspaces that the registry said were deleted for good, in memory: where that word was lost or is forgotten, their files go
 * when those of every workspace do that is not listed any more ({@link Plan#ORPHAN_KEPT}).
 */
final class Purged {

    private static final int WORKSPACES_MAX = 100_000;

    /** Enough for an engine that is away when the word comes. */
    private static final Duration KNOWN = Duration.ofDays(1);

    private final Cache<UUID, Boolean> ids = Caffeine.newBuilder()
            .maximumSize(WORKSPACES_MAX)
            .expireAfterWrite(KNOWN)
            .build();

    void add(Collection<UUID> workspaceIds) {
        workspaceIds.forEach(id -> ids.put(id, true));
    }

    boolean contains(UUID workspaceId) {
        return ids.getIfPresent(workspaceId) != null;
    }
}
