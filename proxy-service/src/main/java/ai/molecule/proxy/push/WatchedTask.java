package ai.molecule.proxy.push;

import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.Leased;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A task in this replica's hands, to be looked at.
 *
 * @param callerId on whose behalf; null for a person
 * @param seen a digest of it as it was told last; empty where somebody has not been told
 */
record WatchedTask(
        Claim held, UUID workspaceId, @Nullable UUID callerId, String taskId, String seen, Duration sinceChange)
        implements Leased {}
