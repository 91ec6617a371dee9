package ai.molecule.registry.memories;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** What {@link MemoryService} needs from persistence. */
public interface MemoryStore {

    /**
     * Stores a memory; one for all with a row of activity that tells so. Fails with NOT_FOUND for an unknown or removed author and
     * with FORBIDDEN for a GLOBAL one of an author that is no root, INSUFFICIENT_STORAGE beyond the author's quota.
     */
    Future<Void> insert(UUID workspaceId, NewMemory memory, Instant now);

    /** Stores those whose id is new, in the given order, and returns these ids; NOT_FOUND for an unknown or removed workspace, INSUFFICIENT_STORAGE beyond its quota. */
    Future<Set<UUID>> seed(UUID workspaceId, List<NewMemory> memories, Instant now);

    /** What the reader may see of what it asks for, best or newest first. */
    Future<List<Memory>> list(MemoryQuery query);

    /** A workspace's own with the text in content or scope, newest first; ends early before it would exceed {@code bytesMax}. */
    Future<List<Memory>> search(UUID workspaceId, String text, int max, int bytesMax);

    /** False when the workspace has written no such memory. */
    Future<Boolean> delete(UUID workspaceId, UUID memoryId);
}
