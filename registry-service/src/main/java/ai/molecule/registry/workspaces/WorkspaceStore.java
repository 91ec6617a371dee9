package ai.molecule.registry.workspaces;

import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.common.bus.registry.DescribeBranch;
import ai.molecule.common.bus.registry.Directory;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.registry.lifecycle.Changed;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What {@link WorkspaceService} needs from persistence. */
public interface WorkspaceStore {

    /**
     * Stores a workspace with its event, its secrets and, where given, its first token; fails with INVALID when the parent does not exist or
     * is removed, and then stores nothing.
     */
    Future<Void> insert(NewWorkspace workspace, @Nullable String firstToken, Instant now);

    /**
     * Stores all of them with their events, secrets and memories, or none. Where all the ids are taken already nothing changes
     * and those are returned; else fails with CONFLICT when some are, and with INVALID for a parent that neither exists nor
     * comes earlier.
     *
     * @param expanded whose team they are; null for nobody's
     * @return what was there already; empty when they were stored
     */
    Future<List<CreateWorkspaces.Entry>> insertAll(List<NewWorkspace> workspaces, @Nullable UUID expanded, Instant now);

    /** All that are not removed, oldest first. */
    Future<List<Workspace>> list();

    /** Removed ones included. */
    Future<Optional<Workspace>> find(UUID id);

    /**
     * Applies a patch with its events; fails with NOT_FOUND for an unknown or removed workspace, INVALID for an unknown parent,
     * CONFLICT for one below the workspace itself, and INSUFFICIENT_STORAGE for one with too many children. Empty when nothing changed.
     *
     * @param byItself whether nobody but the workspace asks: FORBIDDEN then to get another parent, or the name of one near it
     */
    Future<Optional<Changed>> patch(UUID id, WorkspacePatch patch, boolean byItself, Instant now);

    /** Empty when it was let in already; fails with NOT_FOUND for an unknown or removed workspace. */
    Future<Optional<Changed>> admit(UUID id, Instant now);

    Future<ListManaged.Page> listManaged(ListManaged request, Instant removedAfter);

    /** Without removed ones, parents before their children, these oldest first; cut off at {@code max}. */
    Future<List<DescribeBranch.Member>> describeBranch(UUID id, int max);

    Future<Directory.Snapshot> directory(Instant removedAfter);
}
