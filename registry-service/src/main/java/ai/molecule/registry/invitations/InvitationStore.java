package ai.molecule.registry.invitations;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** What {@link InvitationService} needs from persistence. */
public interface InvitationStore {

    /** Fails with INVALID for an unknown parent, CONFLICT for one that is cut off, and RATE_LIMITED when so many are open already. */
    Future<Void> insert(Invitation invitation, byte[] workspaceIdHash, int openMax);

    /** Those that can still be claimed, newest first. */
    Future<List<Invitation>> list(Instant now, int limit);

    /** By its own id or by the hash of the workspace's; false when there is none that can still be claimed. */
    Future<Boolean> revoke(UUID id, byte[] workspaceIdHash, Instant now);

    /** Forgets those that ended before; at most 1000 at once. */
    Future<Integer> forget(Instant endedBefore);
}
