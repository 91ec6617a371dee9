package ai.molecule.events.activity;

import static java.time.ZoneOffset.UTC;

import ai.molecule.common.activity.ActivityLog;
import ai.molecule.common.activity.ActivityRow;
import ai.molecule.common.auth.Behalf;
import ai.molecule.common.bus.events.CallsSince;
import ai.molecule.common.db.Sql;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stored activity, in {@code log.activity} and its bodies (db/log/V021__activity.sql).
 *
 * @param searching for what counts over all of a time: it cannot take the connections of everything else
 */
public record PgActivityStore(Sql database, Sql searching, ActivityLog log, ActivityRetention retention, Clock clock) {

    private static final String FULL = """
            SELECT EXISTS (
                SELECT 1 FROM log.activity_bytes, log.activity_limits WHERE workspace_id = $1 AND day = $2 AND bytes >= bytes_per_day)
            """;

    /** Several may do it at the same time: what another deleted is not there any more. */
    private static final String DELETE = """
            WITH gone AS (
                DELETE FROM log.activity WHERE (workspace_id, seq) IN (
                    SELECT workspace_id, seq FROM log.activity WHERE workspace_id = ANY ($1) LIMIT $2)
                RETURNING id, day
            ), bodies AS (
                DELETE FROM log.activity_bodies AS body USING gone WHERE body.id = gone.id AND body.day = gone.day
            )
            SELECT count(*)::integer FROM gone
            """;

    /** So that no transaction grows with what a workspace said in a week. */
    private static final int DELETE_ROWS_MAX = 5_000;

    private static final String PLACE = "SELECT seq FROM log.activity WHERE workspace_id = $1 AND id = $2";

    static final String COLUMNS = """
            id, workspace_id, activity_type, source_id, target_id, method, summary, duration_ms, status, error_detail, created_at, seq,
            passport_id, on_behalf_of, request_body::text AS request, response_body::text AS response, tool_trace::text AS trace
            """;

    private static final String KEPT = """
            SELECT * FROM log.activity
            WHERE workspace_id = $1
              AND ($2::text IS NULL OR activity_type = $2)
              AND ($3::text IS NULL OR (source_id IS NULL) = ($3 = 'CANVAS'))
              AND ($4::uuid IS NULL OR source_id = $4 OR target_id = $4)
              AND ($5::timestamptz IS NULL OR created_at < $5)
              AND ($6::timestamptz IS NULL OR created_at >= $6)
              AND ($7::bigint IS NULL OR seq > $7)
              AND NOT ($8::boolean AND (method IS NOT DISTINCT FROM 'notify'
                OR (source_id = workspace_id AND target_id <> workspace_id) IS TRUE))
            ORDER BY %s LIMIT $9
            """;

    /** The rows first, then the bodies of those alone. */
    private static final String LIST =
            "SELECT %s FROM (" + KEPT + ") AS listed LEFT JOIN log.activity_bodies USING (id, day) ORDER BY %s";

    private static final String FOLLOWING = LIST.formatted(COLUMNS, "seq", "seq");
    private static final String LATEST_ASCENDING = LIST.formatted(COLUMNS, "seq DESC", "seq");
    private static final String NEWEST_FIRST =
            LIST.formatted(COLUMNS, "created_at DESC, seq DESC", "created_at DESC, seq DESC");

    /**
     * With what the workspace said to others through the platform, which is kept once, with who was told: of its newest {@code 500}
     * messages in that time those that stand here in no other way, neither by a report of its own nor as a delegation.
     */
    private static final String NEWEST_WITH_SENT =
            """
            SELECT %s FROM (
                SELECT id, day, workspace_id, activity_type, source_id, target_id, method, summary, duration_ms, status, error_detail,
                    created_at, seq, passport_id, on_behalf_of
                FROM (%s) AS kept
                UNION ALL
                SELECT id, day, source_id, 'a2a_send', source_id, target_id, method, summary, duration_ms, status, error_detail, created_at,
                    seq, passport_id, on_behalf_of
                FROM (
                    SELECT * FROM log.activity
                    WHERE source_id = $1 AND source_id <> workspace_id AND activity_type = 'a2a_receive'
                      AND ($4::uuid IS NULL OR target_id = $4)
                      AND ($5::timestamptz IS NULL OR created_at < $5)
                      AND ($6::timestamptz IS NULL OR created_at >= $6)
                    ORDER BY created_at DESC LIMIT 500
                ) AS told LEFT JOIN log.activity_bodies AS body USING (id, day)
                WHERE body.request_body #> '{params,message,metadata,delegation_id}' IS NULL
                  AND NOT EXISTS (SELECT 1 FROM log.activity AS report
                    WHERE report.workspace_id = $1
                      AND report.idempotency_key = '%s' || (body.request_body #>> '{params,message,messageId}'))
                ORDER BY created_at DESC, seq DESC LIMIT $9
            ) AS listed LEFT JOIN log.activity_bodies USING (id, day)
            ORDER BY created_at DESC, seq DESC
            """.formatted(COLUMNS, KEPT.formatted("created_at DESC, seq DESC"), ActivityReport.SENT);

    /** What agents and people said through the platform; what an agent reports of itself is not called by anybody. */
    private static final String CALLS = """
            SELECT source_id, workspace_id, coalesce(method, '') AS method, count(*) AS times, max(created_at) AS last
            FROM log.activity
            WHERE day >= $2 AND created_at >= $1 AND activity_type = 'a2a_receive' AND target_id = workspace_id
                AND source_id IS DISTINCT FROM workspace_id
            GROUP BY source_id, workspace_id, method ORDER BY last DESC LIMIT $3
            """;

    /** Serves {@link CallsSince}. */
    public Future<CallsSince.Calls> callsSince(CallsSince question) {
        var since = question.since().atOffset(UTC);
        return searching
                .list(
                        CALLS,
                        Tuple.of(since, since.toLocalDate(), CallsSince.DIFFERENT_MAX + 1),
                        row -> new CallsSince.Alike(
                                row.getUUID("source_id"),
                                row.getUUID("workspace_id"),
                                row.getString("method"),
                                row.getLong("times"),
                                row.getOffsetDateTime("last").toInstant()))
                .map(found -> new CallsSince.Calls(
                        found.stream().limit(CallsSince.DIFFERENT_MAX).toList(),
                        found.size() > CallsSince.DIFFERENT_MAX));
    }

    /**
     * Inserts, in order, the rows whose id and idempotency key are new; answers their ids. All or nothing. A row beyond what its workspace
     * may take up of a day is kept without bodies; but a message that its agent will fetch, one with a key, fails with
     * INSUFFICIENT_STORAGE.
     */
    public Future<Set<UUID>> append(List<ActivityRow> rows) {
        return log.append(database.client(), rows);
    }

    /** Whether the workspace's activity of today takes up all that it may. */
    public Future<Boolean> isFull(UUID workspaceId) {
        return database.get(FULL, Tuple.of(workspaceId, retention.today()), row -> row.getBoolean(0));
    }

    /** Deletes the rows of these workspaces, by and by. */
    public Future<Void> deleteOf(List<UUID> workspaceIds) {
        var parameters =
                Tuple.tuple().addArrayOfUUID(workspaceIds.toArray(UUID[]::new)).addInteger(DELETE_ROWS_MAX);
        return database.query(DELETE, parameters)
                .compose(deleted -> deleted.iterator().next().getInteger(0) < DELETE_ROWS_MAX
                        ? Future.succeededFuture()
                        : deleteOf(workspaceIds));
    }

    /** The place of a row in its workspace's insertion order; empty for an unknown row and for another workspace's. */
    public Future<Optional<Long>> placeOf(UUID workspaceId, UUID id) {
        return database.find(PLACE, Tuple.of(workspaceId, id), row -> row.getLong(0));
    }

    /**
     * The rows asked for, in the order asked for.
     *
     * @param after the place to go on after; null when the query names no cursor
     */
    public Future<List<Activity>> list(ActivityQuery query, @Nullable Long after) {
        String sql =
                switch (query.order()) {
                    case FOLLOWING -> FOLLOWING;
                    case LATEST_ASCENDING -> LATEST_ASCENDING;
                    case NEWEST_FIRST -> query.withSent() ? NEWEST_WITH_SENT : NEWEST_FIRST;
                };
        var source = query.source();
        var age = query.sinceAge();
        var parameters = Tuple.tuple()
                .addUUID(query.workspaceId())
                .addString(query.type())
                .addString(source == null ? null : source.name())
                .addUUID(query.peerId())
                .addOffsetDateTime(time(query.before()))
                .addOffsetDateTime(time(age == null ? null : clock.instant().minus(age)))
                .addLong(after)
                .addBoolean(query.feed())
                .addInteger(query.limit());
        return database.list(sql, parameters, PgActivityStore::toActivity);
    }

    private static @Nullable OffsetDateTime time(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(UTC);
    }

    static Activity toActivity(Row row) {
        return new Activity(
                row.getUUID("id"),
                row.getUUID("workspace_id"),
                row.getString("activity_type"),
                row.getUUID("source_id"),
                row.getUUID("target_id"),
                row.getString("method"),
                row.getString("summary"),
                row.getInteger("duration_ms"),
                row.getString("status"),
                row.getString("error_detail"),
                row.getOffsetDateTime("created_at").toInstant(),
                body(row.getString("request")),
                body(row.getString("response")),
                body(row.getString("trace")),
                behalf(row));
    }

    private static @Nullable Behalf behalf(Row row) {
        @Nullable UUID passport = row.getUUID("passport_id");
        return passport == null ? null : new Behalf(passport, row.getString("on_behalf_of"));
    }

    /** A body that PostgreSQL took but our reader refuses, such as one nested too deeply, counts as not there. */
    private static @Nullable JsonNode body(@Nullable String stored) {
        try {
            return stored == null ? null : Json.stored(stored);
        } catch (UncheckedIOException unreadable) {
            return null;
        }
    }
}
