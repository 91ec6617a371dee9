package ai.molecule.proxy.streams;

import ai.molecule.common.leases.RenewalStreak;
import ai.molecule.proxy.protocol.Sighting;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The journal's tables. What an owner appends is refused once another has adopted the stream. */
public interface StreamStore {

    /** An event and its position. */
    record Entry(int n, Buffer body) {}

    /**
     * What one commit adds to one stream.
     *
     * @param entries of consecutive positions; may be none
     * @param task null when nothing new was seen
     * @param interruption why it ended early; null when it did not
     */
    record Addition(
            UUID streamId,
            List<Entry> entries,
            @Nullable Sighting task,
            boolean ended,
            @Nullable String interruption) {}

    /** Says that a replica lives; answers when that was, by the database's clock. */
    Future<Instant> renew(UUID owner);

    /** Says that a replica is going and that its streams may be adopted at once. */
    Future<Void> resign(UUID owner);

    /** Idempotent by stream and position; answers the streams that still belong to {@code owner}. */
    Future<Set<UUID>> append(UUID owner, List<StreamHead> begun, List<Addition> additions);

    Future<Optional<StreamHead>> find(UUID streamId);

    /** The newest stream of a task. */
    Future<Optional<StreamHead>> findOfTask(UUID workspaceId, String taskId);

    /** Events behind a position, in order: at most {@code max}, and a page ends with the event that fills a mebibyte. */
    Future<List<Entry>> after(UUID streamId, int n, int max);

    /** The message that a stream answers. */
    Future<Optional<byte[]>> request(UUID streamId);

    /** Notes how a cancel was answered, for whoever owns an open stream of the task. */
    Future<Void> canceled(UUID workspaceId, Sighting end);

    /** An owner's open streams whose task was canceled. */
    Future<List<StreamHead>> canceledOf(UUID owner);

    /**
     * Takes over open streams of owners that said goodbye, and, until the database's clock is at {@code until}, of owners not seen for
     * {@code lease}; begins a new epoch in each.
     *
     * @param until empty while nobody is judged by when it was seen, see {@link RenewalStreak}
     */
    Future<List<StreamHead>> adopt(UUID owner, Duration lease, Optional<Instant> until, int max);

    /** Open streams that {@code owner} has adopted and does not know of, because the answer to an adoption was lost. */
    Future<List<StreamHead>> strays(UUID owner, Set<UUID> known, int max);

    /** Deletes streams that ended before {@code age} and owners long gone; answers how many streams. */
    Future<Integer> forget(Duration age, int max);

    /** Deletes the oldest events of streams that hold too much; answers how many streams. */
    Future<Integer> trim(int eventsMax, long bytesMax, int max);
}
