package ai.molecule.events.log;

import ai.molecule.common.db.Database;
import ai.molecule.common.events.Event;
import ai.molecule.common.events.Sequencer;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@link LogStore} on {@code log.events}. Positions are given by one sequencer, so what is read once never changes its place. */
public record PgLogStore(Database database) implements LogStore {

    private static final String COLUMNS =
            "event_id, seq, event_type, workspace_id, payload::text AS payload, created_at";

    private static final String LAST = "SELECT COALESCE(max(seq), 0) FROM log.events";

    /** Positions become visible in order, so no row can appear behind one that was read. */
    private static final String AFTER = """
            SELECT %s FROM log.events
            WHERE seq > $1
            ORDER BY seq LIMIT $2
            """.formatted(COLUMNS);

    private static final String AFTER_OF_WORKSPACE = """
            SELECT %s FROM log.events
            WHERE seq > $1 AND workspace_id = $3
            ORDER BY seq LIMIT $2
            """.formatted(COLUMNS);

    /** Bounded by the positions: what is between them and tells of something else is passed over where it lies. */
    private static final String OF_WORKSPACES = """
            SELECT %s FROM log.events
            WHERE seq > $1 AND seq <= $2 AND starts_with(event_type, 'WORKSPACE_')
            ORDER BY seq
            """.formatted(COLUMNS);

    private static final String NEWEST = """
            SELECT %s FROM log.events
            WHERE seq IS NOT NULL
              AND ($1::uuid IS NULL OR workspace_id = $1)
              AND ($2::bigint IS NULL OR seq < $2)
              AND ($3::bigint IS NULL OR seq > $3)
              AND ($5::uuid[] IS NULL OR workspace_id = ANY ($5))
            ORDER BY seq DESC LIMIT $4
            """.formatted(COLUMNS);

    private static final String FOLLOWING = """
            SELECT * FROM (
                SELECT %s FROM log.events
                WHERE seq > $2 AND ($1::uuid IS NULL OR workspace_id = $1)
                    AND ($4::uuid[] IS NULL OR workspace_id = ANY ($4))
                ORDER BY seq LIMIT $3
            ) AS next
            ORDER BY seq DESC
            """.formatted(COLUMNS);

    private static final String PRUNED_TO = "SELECT to_seq FROM log.pruned";

    /** Safe under races: a second one waits for the first's rows and finds them gone; the position only grows. */
    private static final String PRUNE = """
            WITH oldest AS (SELECT seq FROM log.events WHERE seq <= $1 ORDER BY seq LIMIT $2),
            gone AS (DELETE FROM log.events USING oldest WHERE events.seq = oldest.seq RETURNING events.seq),
            told AS (
                UPDATE log.pruned SET to_seq = greatest(to_seq, (SELECT max(seq) FROM gone))
                WHERE EXISTS (SELECT 1 FROM gone)
            )
            SELECT count(*)::integer FROM gone
            """;

    static final String UNNUMBERED = "SELECT EXISTS (SELECT 1 FROM log.events WHERE " + Sequencer.UNNUMBERED + ")";

    private static final Logger LOGGER = LoggerFactory.getLogger(PgLogStore.class);

    @Override
    public Future<Long> last() {
        return database.get(LAST, Tuple.tuple(), row -> row.getLong(0));
    }

    @Override
    public Future<List<LoggedEvent>> after(long seq, int limit, @Nullable UUID workspaceId) {
        return workspaceId == null
                ? database.list(AFTER, Tuple.of(seq, limit), PgLogStore::toEvent)
                : database.list(AFTER_OF_WORKSPACE, Tuple.of(seq, limit, workspaceId), PgLogStore::toEvent);
    }

    @Override
    public Future<List<LoggedEvent>> ofWorkspaces(long after, long upTo) {
        return database.list(OF_WORKSPACES, Tuple.of(after, upTo), PgLogStore::toEvent);
    }

    @Override
    public Future<List<LoggedEvent>> page(LogPage page) {
        return page.after() != null && page.before() == null
                ? database.list(
                        FOLLOWING,
                        Tuple.of(page.workspaceId(), page.after(), page.limit(), within(page)),
                        PgLogStore::toEvent)
                : database.list(
                        NEWEST,
                        Tuple.of(page.workspaceId(), page.before(), page.after(), page.limit(), within(page)),
                        PgLogStore::toEvent);
    }

    private static UUID @Nullable [] within(LogPage page) {
        var within = page.within();
        return within == null ? null : within.toArray(UUID[]::new);
    }

    @Override
    public Future<Long> prunedTo() {
        return database.get(PRUNED_TO, Tuple.tuple(), row -> row.getLong(0));
    }

    @Override
    public Future<Integer> prune(long upToSeq, int limit) {
        return database.get(PRUNE, Tuple.of(upToSeq, limit), row -> row.getInteger(0));
    }

    @Override
    public Future<Boolean> hasUnnumbered() {
        return database.get(UNNUMBERED, Tuple.tuple(), row -> row.getBoolean(0));
    }

    private static LoggedEvent toEvent(Row row) {
        return new LoggedEvent(
                row.getUUID("event_id"),
                new Event(
                        row.getLong("seq"),
                        row.getString("event_type"),
                        row.getUUID("workspace_id"),
                        row.getOffsetDateTime("created_at").toInstant(),
                        payload(row.getString("payload"))));
    }

    /** One row that cannot be read must not stop everybody's stream. */
    private static ObjectNode payload(String stored) {
        try {
            return Json.stored(stored) instanceof ObjectNode object ? object : Json.object();
        } catch (UncheckedIOException unreadable) {
            LOGGER.atError().setCause(unreadable).log("event with unreadable payload");
            return Json.object();
        }
    }
}
