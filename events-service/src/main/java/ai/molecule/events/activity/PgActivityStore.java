package ai.molecule.events.activity;

import static java.time.ZoneOffset.UTC;

import ai.molecule.common.bus.events.AppendActivity;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@link ActivityStore} on the table {@code activity_logs} (db/events/V002__activity_days.sql). */
public final class PgActivityStore implements ActivityStore {

    /** What a row takes up besides its bodies. */
    private static final int ROW_BYTES = 512;

    /**
     * Holds each workspace's advisory lock, taken in one order, from before seq is drawn until the commit: so within a workspace
     * a later seq is never visible before an earlier one. What is there already, by id or idempotency key, stays as it is: the same
     * day's by the unique indexes, a key of an earlier day because {@link #LOCK} was taken before this statement's snapshot. Bytes are
     * added under the same locks; how many there are is read before them, so that statements at the same time may overdraw the day.
     */
    private static final String APPEND = """
            WITH locked AS MATERIALIZED (
                SELECT pg_advisory_xact_lock(73110, key)
                FROM (SELECT DISTINCT hashtext(w::text) AS key FROM unnest($2::uuid[]) AS w ORDER BY key) AS keys
            ), fresh AS (
                SELECT *, least(greatest((created_at AT TIME ZONE 'UTC')::date, $16), $17) AS day,
                    octet_length(concat(request_body, response_body, tool_trace)) AS body_bytes
                FROM (SELECT count(*) FROM locked) AS all_locked,
                    unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[],
                        $9::text[], $10::text[], $11::int[], $12::text[], $13::text[], $14::text[], $15::timestamptz[])
                    WITH ORDINALITY AS given (id, workspace_id, activity_type, source_id, target_id, method, summary,
                        request_body, response_body, tool_trace, duration_ms, status, error_detail, idempotency_key,
                        created_at, nth)
                WHERE idempotency_key IS NULL OR NOT EXISTS (SELECT 1 FROM activity_logs AS earlier
                    WHERE earlier.workspace_id = given.workspace_id AND earlier.idempotency_key = given.idempotency_key)
            ), weighed AS (
                SELECT fresh.*, coalesce(used.bytes, 0) + sum(body_bytes) OVER (PARTITION BY workspace_id, day ORDER BY nth) <= $18 AS fits
                FROM fresh LEFT JOIN activity_bytes AS used USING (workspace_id, day)
            ), stored AS (
                INSERT INTO activity_logs (id, day, workspace_id, activity_type, source_id, target_id, method, summary,
                    request_body, response_body, tool_trace, duration_ms, status, error_detail, idempotency_key, created_at)
                SELECT id, day, workspace_id, activity_type, source_id, target_id, method, summary,
                    CASE WHEN fits THEN request_body::jsonb END, CASE WHEN fits THEN response_body::jsonb END,
                    CASE WHEN fits THEN tool_trace::jsonb END, duration_ms, status, error_detail, idempotency_key, created_at
                FROM weighed
                ORDER BY nth
                ON CONFLICT DO NOTHING
                RETURNING id, workspace_id, day
            ), counted AS (
                INSERT INTO activity_bytes AS used (workspace_id, day, bytes)
                SELECT workspace_id, day, sum(%d + CASE WHEN fits THEN body_bytes ELSE 0 END)
                FROM stored JOIN weighed USING (id, workspace_id, day)
                GROUP BY workspace_id, day
                ORDER BY workspace_id, day
                ON CONFLICT (workspace_id, day) DO UPDATE SET bytes = used.bytes + excluded.bytes
            )
            SELECT id FROM stored
            """.formatted(ROW_BYTES);

    /**
     * The same locks in the same order, for rows with a key: whoever comes second sees what the first stored. And whether one of these
     * workspaces, $2, has used up its day.
     */
    private static final String LOCK = """
            SELECT bool_or(pg_advisory_xact_lock(73110, key) IS NULL), EXISTS (
                SELECT 1 FROM activity_bytes WHERE workspace_id = ANY ($2) AND day = $3 AND bytes >= $4)
            FROM (SELECT DISTINCT hashtext(w::text) AS key FROM unnest($1::uuid[]) AS w ORDER BY key) AS keys
            """;

    private static final String FULL =
            "SELECT EXISTS (SELECT 1 FROM activity_bytes WHERE workspace_id = $1 AND day = $2 AND bytes >= $3)";

    /**
     * Safe under races because a row that a concurrent statement changed is judged anew by its new status, and a status only
     * grows: pending, dispatched, queued, any other.
     */
    private static final String ADVANCE = """
            WITH moved AS (
                UPDATE activity_logs AS row
                SET target_id = fresh.target_id, summary = fresh.summary, request_body = fresh.request_body::jsonb,
                    response_body = CASE WHEN fits THEN fresh.response_body::jsonb END, status = fresh.status,
                    error_detail = fresh.error_detail
                FROM (
                    SELECT given.*, coalesce(used.bytes, 0) < $9 AS fits
                    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
                            AS given (id, workspace_id, target_id, summary, request_body, response_body, status, error_detail)
                        LEFT JOIN activity_bytes AS used ON used.workspace_id = given.workspace_id AND used.day = $10
                ) AS fresh
                WHERE row.id = fresh.id AND row.workspace_id = fresh.workspace_id
                  AND coalesce(array_position(ARRAY['pending', 'dispatched', 'queued'], row.status), 4)
                    < coalesce(array_position(ARRAY['pending', 'dispatched', 'queued'], fresh.status), 4)
                RETURNING row.workspace_id, octet_length(CASE WHEN fits THEN fresh.response_body END) AS body_bytes
            ), counted AS (
                INSERT INTO activity_bytes AS used (workspace_id, day, bytes)
                SELECT workspace_id, $10, sum(coalesce(body_bytes, 0)) FROM moved GROUP BY workspace_id ORDER BY workspace_id
                ON CONFLICT (workspace_id, day) DO UPDATE SET bytes = used.bytes + excluded.bytes
            )
            SELECT count(*)::integer FROM moved
            """;

    /** Several may do it at the same time: what another deleted is not there any more. */
    private static final String DELETE = """
            DELETE FROM activity_logs WHERE (workspace_id, seq) IN (
                SELECT workspace_id, seq FROM activity_logs WHERE workspace_id = ANY ($1) LIMIT $2)
            """;

    /** So that no transaction grows with what a workspace said in a week. */
    private static final int DELETE_ROWS_MAX = 5_000;

    private static final String PLACE = "SELECT seq FROM activity_logs WHERE workspace_id = $1 AND id = $2";

    private static final String ROWS = """
            SELECT id, workspace_id, activity_type, source_id, target_id, method, summary, duration_ms, status, error_detail,
                created_at, request_body::text AS request, response_body::text AS response, tool_trace::text AS trace, seq
            FROM activity_logs
            WHERE workspace_id = $1
            """;

    private static final String SEARCH = ROWS + """
              AND ($2 = '' OR activity_type ILIKE '%' || $2 || '%' ESCAPE '' OR summary ILIKE '%' || $2 || '%' ESCAPE ''
                OR method ILIKE '%' || $2 || '%' ESCAPE '' OR status ILIKE '%' || $2 || '%' ESCAPE ''
                OR request_body::text ILIKE '%' || $2 || '%' ESCAPE ''
                OR response_body::text ILIKE '%' || $2 || '%' ESCAPE '')
            ORDER BY created_at DESC, seq DESC LIMIT $3
            """;

    private static final String SELECT = ROWS + """
              AND ($2::text IS NULL OR activity_type = $2)
              AND ($3::text IS NULL OR (source_id IS NULL) = ($3 = 'CANVAS'))
              AND ($4::uuid IS NULL OR source_id = $4 OR target_id = $4)
              AND ($5::timestamptz IS NULL OR created_at < $5)
              AND ($6::timestamptz IS NULL OR created_at >= $6)
              AND ($7::bigint IS NULL OR seq > $7)
              AND NOT ($8::boolean AND (method IS NOT DISTINCT FROM 'notify'
                OR (source_id = workspace_id AND target_id <> workspace_id) IS TRUE))
            """;

    private static final String FOLLOWING = SELECT + "ORDER BY seq LIMIT $9";
    private static final String LATEST_ASCENDING =
            "SELECT * FROM (" + SELECT + "ORDER BY seq DESC LIMIT $9) AS latest ORDER BY seq";
    private static final String NEWEST_FIRST = SELECT + "ORDER BY created_at DESC, seq DESC LIMIT $9";

    private final Pool pool;
    private final ActivityRetention retention;
    private final Clock clock;
    private final long bytesPerDay;

    /** @param bytesPerDay what the activity of one workspace may take up of a day */
    public PgActivityStore(Pool pool, ActivityRetention retention, Clock clock, long bytesPerDay) {
        this.pool = pool;
        this.retention = retention;
        this.clock = clock;
        this.bytesPerDay = bytesPerDay;
    }

    @Override
    public Future<Set<UUID>> append(List<AppendActivity.Row> rows) {
        boolean keyed = rows.stream().anyMatch(row -> row.idempotencyKey() != null);
        return keyed
                ? pool.withTransaction(connection -> lock(connection, rows).compose(locked -> insert(connection, rows)))
                : insert(pool, rows);
    }

    /** A message that would be kept without its words is not taken: its sender must know. */
    private Future<?> lock(SqlClient transaction, List<AppendActivity.Row> rows) {
        var messages = rows.stream()
                .filter(row ->
                        row.idempotencyKey() != null && row.activityType().equals("a2a_receive"))
                .toList();
        var parameters = Tuple.tuple()
                .addArrayOfUUID(column(rows, AppendActivity.Row::workspaceId, new UUID[0]))
                .addArrayOfUUID(column(messages, AppendActivity.Row::workspaceId, new UUID[0]))
                .addLocalDate(retention.today())
                .addLong(bytesPerDay);
        return transaction.preparedQuery(LOCK).execute(parameters).map(locked -> {
            if (locked.iterator().next().getBoolean(1)) {
                throw ActivityQuota.full();
            }
            return locked;
        });
    }

    @Override
    public Future<Boolean> isFull(UUID workspaceId) {
        return pool.preparedQuery(FULL)
                .execute(Tuple.of(workspaceId, retention.today(), bytesPerDay))
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    private Future<Set<UUID>> insert(SqlClient client, List<AppendActivity.Row> rows) {
        var parameters = columnsOf(rows)
                .addLocalDate(retention.first())
                .addLocalDate(retention.last())
                .addLong(bytesPerDay);
        return client.preparedQuery(APPEND).execute(parameters).map(inserted -> {
            Set<UUID> fresh = new HashSet<>();
            inserted.forEach(row -> fresh.add(row.getUUID(0)));
            return fresh;
        });
    }

    @Override
    public Future<Integer> advance(List<AppendActivity.Row> rows) {
        var parameters = Tuple.tuple()
                .addArrayOfUUID(column(rows, AppendActivity.Row::id, new UUID[0]))
                .addArrayOfUUID(column(rows, AppendActivity.Row::workspaceId, new UUID[0]))
                .addArrayOfUUID(column(rows, AppendActivity.Row::targetId, new UUID[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::summary, new String[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::requestBody, new String[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::responseBody, new String[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::status, new String[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::errorDetail, new String[0]))
                .addLong(bytesPerDay)
                .addLocalDate(retention.today());
        return pool.preparedQuery(ADVANCE)
                .execute(parameters)
                .map(changed -> changed.iterator().next().getInteger(0));
    }

    @Override
    public Future<Void> deleteOf(List<UUID> workspaceIds) {
        var parameters =
                Tuple.tuple().addArrayOfUUID(workspaceIds.toArray(UUID[]::new)).addInteger(DELETE_ROWS_MAX);
        return pool.preparedQuery(DELETE)
                .execute(parameters)
                .compose(deleted ->
                        deleted.rowCount() < DELETE_ROWS_MAX ? Future.succeededFuture() : deleteOf(workspaceIds));
    }

    @Override
    public Future<Optional<Long>> placeOf(UUID workspaceId, UUID id) {
        return pool.preparedQuery(PLACE)
                .execute(Tuple.of(workspaceId, id))
                .map(rows -> rows.stream().findFirst().map(row -> row.getLong(0)));
    }

    @Override
    public Future<List<Activity>> list(ActivityQuery query, @Nullable Long after) {
        String sql =
                switch (query.order()) {
                    case FOLLOWING -> FOLLOWING;
                    case LATEST_ASCENDING -> LATEST_ASCENDING;
                    case NEWEST_FIRST -> NEWEST_FIRST;
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
        return pool.preparedQuery(sql)
                .mapping(PgActivityStore::toActivity)
                .execute(parameters)
                .map(rows -> rows.stream().toList());
    }

    @Override
    public Future<List<Activity>> search(UUID workspaceId, String text, int limit) {
        return pool.preparedQuery(SEARCH)
                .mapping(PgActivityStore::toActivity)
                .execute(Tuple.of(workspaceId, text, limit))
                .map(rows -> rows.stream().toList());
    }

    private static Tuple columnsOf(List<AppendActivity.Row> rows) {
        return Tuple.tuple()
                .addArrayOfUUID(column(rows, AppendActivity.Row::id, new UUID[0]))
                .addArrayOfUUID(column(rows, AppendActivity.Row::workspaceId, new UUID[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::activityType, new String[0]))
                .addArrayOfUUID(column(rows, AppendActivity.Row::sourceId, new UUID[0]))
                .addArrayOfUUID(column(rows, AppendActivity.Row::targetId, new UUID[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::method, new String[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::summary, new String[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::requestBody, new String[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::responseBody, new String[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::toolTrace, new String[0]))
                .addArrayOfInteger(column(rows, AppendActivity.Row::durationMs, new Integer[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::status, new String[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::errorDetail, new String[0]))
                .addArrayOfString(column(rows, AppendActivity.Row::idempotencyKey, new String[0]))
                .addArrayOfOffsetDateTime(column(rows, row -> time(row.createdAt()), new OffsetDateTime[0]));
    }

    private static <T> T[] column(
            List<AppendActivity.Row> rows, Function<AppendActivity.Row, ? extends @Nullable T> field, T[] empty) {
        return rows.stream().map(field).toList().toArray(empty);
    }

    private static @Nullable OffsetDateTime time(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(UTC);
    }

    private static Activity toActivity(Row row) {
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
                body(row.getString("trace")));
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
