package ai.molecule.registry.lifecycle;

import ai.molecule.common.bus.registry.Transition;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** What {@link LifecycleService} needs from persistence. */
public interface LifecycleStore {

    /**
     * Reads a branch, has {@code plan} decide, and applies what it decided, all in one transaction during which the org chart
     * stands still. Those removed lose their tokens (kept as tombstones), layout and heartbeats; the others work on nothing.
     */
    Future<Applied> change(UUID workspaceId, Function<Branch, List<Intent>> plan, Instant now);

    /** @param interrupted those that worked on something */
    record Applied(List<Changed> changed, List<UUID> interrupted) {}

    /**
     * Pauses, revokes every token and cuts off, all in such a transaction and told by WORKSPACE_QUARANTINED of each; those cut off
     * already stay as they are. Fails with NOT_FOUND for an unknown or removed workspace.
     */
    Future<Applied> quarantine(UUID workspaceId, boolean branch, Instant now);

    /** Undoes the cutting off, told by WORKSPACE_RELEASED; fails with NOT_FOUND when nobody there is cut off. */
    Future<List<Changed>> release(UUID workspaceId, boolean branch, Instant now);

    /** Removes everything below a workspace in such a transaction, and tells so. Fails with NOT_FOUND for an unknown workspace. */
    Future<Collapse> collapse(UUID workspaceId, Instant now);

    /** @param children the names of those that were directly below */
    record Collapse(List<String> children, List<Changed> removed) {}

    /** Deletes a branch, removed members included, and every row that belongs to it; answers who that was. */
    Future<List<UUID>> purge(UUID workspaceId);

    /** Fails with NOT_FOUND for an unknown workspace. */
    Future<Witnessed> witness(Transition request, Trigger trigger, RecordedEvent event, Instant now);

    /** The status afterwards, and whether it changed. */
    record Witnessed(boolean applied, Changed state) {}
}
