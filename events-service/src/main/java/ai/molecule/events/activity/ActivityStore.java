package ai.molecule.events.activity;

import ai.molecule.common.activity.ActivityRow;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Stored activity. Insertion order is commit order within a workspace. */
public interface ActivityStore {

    /**
     * Inserts, in order, the rows whose id and idempotency key are new; answers their ids. All or nothing. A row beyond what its workspace
     * may take up of a day is kept without bodies; but a message that its agent will fetch, one with a key, fails with
     * INSUFFICIENT_STORAGE.
     */
    Future<Set<UUID>> append(List<ActivityRow> rows);

    /** Whether the workspace's activity of today takes up all that it may. */
    Future<Boolean> isFull(UUID workspaceId);

    /** Deletes the rows of these workspaces, by and by. */
    Future<Void> deleteOf(List<UUID> workspaceIds);

    /** The place of a row in its workspace's insertion order; empty for an unknown row and for another workspace's. */
    Future<Optional<Long>> placeOf(UUID workspaceId, UUID id);

    /**
     * The rows asked for, in the order asked for.
     *
     * @param after the place to go on after; null when the query names no cursor
     */
    Future<List<Activity>> list(ActivityQuery query, @Nullable Long after);

    /** Own rows with {@code text} in type, summary, method, status or a body, in any case; empty text finds all. Newest first. */
    Future<List<Activity>> search(UUID workspaceId, String text, int limit);
}
