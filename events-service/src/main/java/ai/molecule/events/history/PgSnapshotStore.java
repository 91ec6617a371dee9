package ai.molecule.events.history;

import ai.molecule.common.db.Database;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Org charts of the past, in the table {@code org_snapshots} (db/events/V003__org_snapshots.sql). */
public record PgSnapshotStore(Database database) {

    /**
     * A chart with every event up to {@code seq} applied.
     *
     * @param takenAt no event up to {@code seq} happened later
     */
    public record Snapshot(long seq, Instant takenAt, ObjectNode chart) {}

    private static final String NEWEST = """
            SELECT seq, taken_at, chart::text AS chart FROM org_snapshots
            WHERE $1::timestamptz IS NULL OR taken_at <= $1
            ORDER BY seq DESC LIMIT 1
            """;

    private static final String FOLLOWING = "SELECT seq FROM org_snapshots WHERE taken_at >= $1 ORDER BY seq LIMIT 1";

    /** Replicas that take one at once reach the same chart by the same events; the first is kept. */
    private static final String KEEP = """
            INSERT INTO org_snapshots (seq, taken_at, chart) VALUES ($1, clock_timestamp(), $2::text::jsonb)
            ON CONFLICT DO NOTHING
            """;

    /** Safe under races: the second of two finds nothing older to delete. */
    private static final String FORGET = """
            WITH base AS (SELECT max(seq) AS seq FROM org_snapshots WHERE taken_at < $1),
            forgotten AS (DELETE FROM org_snapshots USING base WHERE org_snapshots.seq < base.seq)
            SELECT seq FROM base WHERE seq IS NOT NULL
            """;

    /** The newest taken at or before {@code moment}; null for the newest of all. */
    public Future<Optional<Snapshot>> newest(@Nullable Instant moment) {
        return database.find(
                NEWEST,
                Tuple.tuple().addOffsetDateTime(moment == null ? null : moment.atOffset(ZoneOffset.UTC)),
                PgSnapshotStore::toSnapshot);
    }

    /** The position of the oldest that was taken at or after {@code moment}. */
    public Future<Optional<Long>> following(Instant moment) {
        return database.find(FOLLOWING, Tuple.of(moment.atOffset(ZoneOffset.UTC)), row -> row.getLong(0));
    }

    /** Keeps a chart, taken now by the database's clock; one of the same position stays as it is. */
    public Future<Void> keep(long seq, ObjectNode chart) {
        return database.run(KEEP, Tuple.of(seq, Json.text(chart)));
    }

    /** Deletes every snapshot older than the newest one taken before {@code cutoff}; answers that one's position, empty when there is none. */
    public Future<Optional<Long>> forgetBefore(Instant cutoff) {
        return database.find(FORGET, Tuple.of(cutoff.atOffset(ZoneOffset.UTC)), row -> row.getLong(0));
    }

    private static Snapshot toSnapshot(Row row) {
        return new Snapshot(
                row.getLong("seq"), row.getOffsetDateTime("taken_at").toInstant(), (ObjectNode)
                        Json.stored(row.getString("chart")));
    }
}
