package ai.molecule.events.activity;

import static java.time.ZoneOffset.UTC;

import ai.molecule.common.db.Postgres;
import ai.molecule.common.db.Sql;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Looks for a text in the stored activity of a workspace, bodies and all, from the newest row on and some rows at a time: a search that has
 * no time for all of them says what it found, and where to go on.
 *
 * @param searching connections of its own: it cannot take those of everything else
 */
public record PgActivitySearch(Sql searching) {

    /** A row that has the text. */
    public record Hit(Activity activity, ActivityPlace place) {}

    /**
     * Newest first.
     *
     * @param more behind which to go on; null when all rows were looked at
     */
    public record Found(List<Hit> hits, @Nullable ActivityPlace more) {}

    /** What a statement looked at: so many rows, to this place. */
    private record Look(List<Hit> hits, int rows, @Nullable ActivityPlace end) {}

    private static final int ROWS_MIN = 50;
    private static final int ROWS_MAX = 1_600;

    /** A look that was as quick as this is followed by one at twice as many rows. */
    private static final long QUICK_NANOS = 100_000_000;

    /** The rows first, then the bodies of those alone, a part of a workspace's days however large its bodies are. */
    private static final String LOOK = """
            WITH looked AS MATERIALIZED (
                SELECT * FROM log.activity
                WHERE workspace_id = $1 AND (created_at, seq) < (coalesce($3::timestamptz, 'infinity'), $4::bigint)
                ORDER BY created_at DESC, seq DESC LIMIT $5
            ), found AS MATERIALIZED (
                SELECT %s FROM looked LEFT JOIN log.activity_bodies USING (id, day)
                WHERE $2::text = '' OR activity_type ILIKE '%%' || $2 || '%%' ESCAPE '' OR summary ILIKE '%%' || $2 || '%%' ESCAPE ''
                    OR method ILIKE '%%' || $2 || '%%' ESCAPE '' OR status ILIKE '%%' || $2 || '%%' ESCAPE ''
                    OR request_body::text ILIKE '%%' || $2 || '%%' ESCAPE ''
                    OR response_body::text ILIKE '%%' || $2 || '%%' ESCAPE ''
                ORDER BY created_at DESC, seq DESC LIMIT $6
            )
            SELECT found.*, ended.*
            FROM (
                SELECT count(*)::integer AS looked_at, min(created_at) AS end_at,
                    (array_agg(seq ORDER BY created_at, seq))[1] AS end_seq
                FROM looked
            ) AS ended LEFT JOIN found ON true
            ORDER BY found.created_at DESC, found.seq DESC
            """.formatted(PgActivityStore.COLUMNS);

    /** So much is asked for, and the time for it ends then. */
    private record Search(
            UUID workspaceId,
            String text,
            int limit,
            @Nullable ActivityPlace before,
            long endNanos) {}

    /**
     * Own rows with {@code text} in type, summary, method, status or a body, in any case; empty text finds all. Ends when it has
     * {@code limit} rows, and with the statement that is under way when its time is over; fails only when it looked at nothing.
     *
     * @param before behind which to go on; null for the newest
     */
    public Future<Found> search(
            UUID workspaceId, String text, int limit, @Nullable ActivityPlace before, Duration timeMax) {
        var search = new Search(workspaceId, text, limit, before, System.nanoTime() + timeMax.toNanos());
        return search(search, new ArrayList<>(), before, ROWS_MIN);
    }

    private Future<Found> search(Search search, List<Hit> hits, @Nullable ActivityPlace from, int rows) {
        long began = System.nanoTime();
        return look(search, search.limit - hits.size(), from, rows)
                .compose(
                        look -> {
                            hits.addAll(look.hits);
                            long now = System.nanoTime();
                            if (hits.size() >= search.limit) {
                                return Future.succeededFuture(new Found(hits, hits.getLast().place));
                            }
                            if (look.rows < rows) {
                                return Future.succeededFuture(new Found(hits, null));
                            }
                            if (now - search.endNanos >= 0) {
                                return Future.succeededFuture(new Found(hits, look.end));
                            }
                            int next = now - began < QUICK_NANOS ? Math.min(2 * rows, ROWS_MAX) : rows;
                            return search(search, hits, look.end, next);
                        },
                        failure -> Objects.equals(from, search.before) || !Postgres.isUnavailable(failure)
                                ? Future.failedFuture(failure)
                                : Future.succeededFuture(new Found(hits, from)));
    }

    private Future<Look> look(Search search, int limit, @Nullable ActivityPlace from, int rows) {
        var parameters = Tuple.tuple()
                .addUUID(search.workspaceId)
                .addString(search.text)
                .addOffsetDateTime(from == null ? null : from.createdAt().atOffset(UTC))
                .addLong(from == null ? Long.MAX_VALUE : from.seq())
                .addInteger(rows)
                .addInteger(limit);
        return searching.query(LOOK, parameters).map(found -> {
            List<Hit> hits = new ArrayList<>();
            for (Row row : found) {
                if (row.getUUID("id") != null) {
                    var activity = PgActivityStore.toActivity(row);
                    hits.add(new Hit(activity, new ActivityPlace(activity.createdAt(), row.getLong("seq"))));
                }
            }
            var ended = found.iterator().next();
            int looked = ended.getInteger("looked_at");
            return new Look(
                    hits,
                    looked,
                    looked == 0
                            ? null
                            : new ActivityPlace(
                                    ended.getOffsetDateTime("end_at").toInstant(), ended.getLong("end_seq")));
        });
    }
}
