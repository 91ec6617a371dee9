package ai.molecule.provisioner.instances;

import ai.molecule.provisioner.backend.AgentProcess;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Instances, and the lock that lets one provisioner at a time work on a workspace. */
public interface InstanceStore {

    /** Held until released, or until the connection to the database ends. */
    interface Lock {
        Future<Void> release();
    }

    /** Empty when another provisioner holds it; never waits. */
    Future<Optional<Lock>> tryLock(UUID workspaceId);

    Future<Optional<Instance>> find(UUID workspaceId);

    /** At most {@code limit}, in id order. */
    Future<List<Instance>> list(int limit);

    /** Ports of every workspace but this one. */
    Future<Set<Integer>> portsOfOthers(UUID workspaceId);

    /**
     * A start begins. Its back-off and deaths are forgotten when it was stopped or given up before: then a person asked for it.
     *
     * @return false, and nothing is stored, when another workspace has the port
     */
    Future<Boolean> starting(UUID workspaceId, int incarnation, int port, Instant now);

    /** A start that began was not possible now; it is tried again. */
    Future<Void> delayed(UUID workspaceId, String reason);

    Future<Void> running(UUID workspaceId, AgentProcess process, Instant now);

    Future<Void> exited(
            UUID workspaceId, int attempts, List<Instant> deaths, Instant restartAt, String lastExit, Instant now);

    Future<Void> stopped(UUID workspaceId, Instant now);

    /** Given up; also for a workspace that has no instance yet. */
    Future<Void> failed(UUID workspaceId, int incarnation, String lastExit, Instant now);

    /** Something is kept for a workspace that nobody wants and no record tells of: from now on one does, as of one stopped. */
    Future<Void> leftBehind(UUID workspaceId, Instant now);

    Future<Void> delete(UUID workspaceId);
}
