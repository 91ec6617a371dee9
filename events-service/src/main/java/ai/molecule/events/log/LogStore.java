package ai.molecule.events.log;

import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The numbered rows of the event log. */
public interface LogStore {

    /** The position of the newest row that has one; 0 for an empty log. */
    Future<Long> last();

    /**
     * What follows a position, in order.
     *
     * @param workspaceId null for all workspaces
     * @param limit the most rows; fewer mean that there were no more
     */
    Future<List<LoggedEvent>> after(long seq, int limit, @Nullable UUID workspaceId);

    /** Those of what becomes of workspaces, behind one position and up to another, in order. */
    Future<List<LoggedEvent>> ofWorkspaces(long after, long upTo);

    /** Newest first. */
    Future<List<LoggedEvent>> page(LogPage page);

    /** The last position whose event was deleted; 0 while none was. */
    Future<Long> prunedTo();

    /** Deletes the oldest events, at most {@code limit} of those up to a position; answers how many. */
    Future<Integer> prune(long upToSeq, int limit);

    /** Whether committed rows wait for their position. */
    Future<Boolean> hasUnnumbered();
}
