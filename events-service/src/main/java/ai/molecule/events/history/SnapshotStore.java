package ai.molecule.events.history;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Kept org charts. */
public interface SnapshotStore {

    /**
     * A chart with every event up to {@code seq} applied.
     *
     * @param takenAt no event up to {@code seq} happened later
     */
    record Snapshot(long seq, Instant takenAt, ObjectNode chart) {}

    /** The newest taken at or before {@code moment}; null for the newest of all. */
    Future<Optional<Snapshot>> newest(@Nullable Instant moment);

    /** Keeps a chart, taken now by the database's clock; one of the same position stays as it is. */
    Future<Void> keep(long seq, ObjectNode chart);

    /** Deletes every snapshot older than the newest one taken before {@code cutoff}; answers that one's position, empty when there is none. */
    Future<Optional<Long>> forgetBefore(Instant cutoff);
}
