package ai.molecule.registry.heartbeats;

import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.lifecycle.StatusChange;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What {@link HeartbeatService} needs from persistence. */
public interface HeartbeatStore {

    /** A workspace as it stands after its heartbeat was stored. */
    record Standing(WorkspaceStatus status, int incarnation) {}

    /** What a stored heartbeat changed: the task before it, and the spend of the month, in cents, before and after. */
    record Recorded(String taskBefore, long spendBefore, long spend) {

        boolean spent() {
            return spendBefore != spend;
        }
    }

    /**
     * Stores heartbeats, at most one of each workspace, as heard at this moment by the database's clock; committed when it completes.
     *
     * @param now says which month a spend belongs to
     * @return by workspace; unknown and removed ones are missing
     */
    Future<Map<UUID, Recorded>> record(List<Heartbeat> heartbeats, Instant now);

    /** Those of them whose spend reached the limit with this, or fell below it. */
    Future<List<Changed>> crossedLimits(Map<UUID, Recorded> recorded);

    Future<Map<UUID, Standing>> standings(Collection<UUID> workspaceIds);

    /** Those of them whose last heartbeat told of fewer tasks than they may have. */
    Future<List<UUID>> withCapacity(Collection<UUID> workspaceIds);

    /** Applies the changes that still apply and returns them. */
    Future<List<Changed>> transition(List<StatusChange> changes, Instant now);
}
