package ai.molecule.common.activity;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.hints.ActivityArrived;
import ai.molecule.common.events.LiveEvent;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Appending activity: any service, in the transaction of what the rows tell; {@link #committed} after it. */
public record ActivityLog(Bus bus, Clock clock) {

    /** The most rows of one call: larger batches raised the time that everybody behind them waits. */
    public static final int ROWS_MAX = 128;

    private static final int PARAMETERS = 18;

    private static final String FUNCTION = """
            SELECT log.%s($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::text[],
                $10::text[], $11::int[], $12::text[], $13::text[], $14::text[], $15::uuid[], $16::timestamptz[]%s)
            """;

    private static final String APPEND = FUNCTION.formatted("append_activity", ", $17::uuid[], $18::text[]");
    private static final String UPSERT = FUNCTION.formatted("upsert_activity", "");

    /** What the function raises when a message would be kept without its words. */
    private static final String FULL = "MO507";

    /**
     * Appends the rows whose id and idempotency key are new, in order, and answers their ids. Nothing is visible, and nobody is told,
     * before {@code transaction} commits; until then whoever else appends to these workspaces waits. A row beyond what its workspace may
     * take up of a day is kept without bodies; but a message that its agent will fetch, one with a key, fails with INSUFFICIENT_STORAGE.
     *
     * @param rows at most {@value #ROWS_MAX}
     */
    public Future<Set<UUID>> append(SqlClient transaction, List<ActivityRow> rows) {
        return run(transaction, APPEND, rows);
    }

    /**
     * As {@link #append}, for rows whose status goes on ({@code pending}, {@code dispatched}, {@code queued}, any other): one that is
     * there gets the new contents where its status is an earlier one.
     *
     * @return the ids of those that were not there
     */
    public Future<Set<UUID>> upsert(SqlClient transaction, List<ActivityRow> rows) {
        return run(transaction, UPSERT, rows, false, Tuple.tuple());
    }

    /**
     * The statement of {@link #appendBehind}.
     *
     * @param function called first, with so many parameters
     */
    public static String behind(String function, int parameters) {
        String numbers = IntStream.range(0, parameters)
                .mapToObj(n -> "$" + (PARAMETERS + 1 + n))
                .collect(Collectors.joining(", "));
        return "WITH first AS MATERIALIZED (SELECT %s(%s)) ".formatted(function, numbers) + APPEND + "FROM first";
    }

    /**
     * As {@link #append}, in one statement with what comes before it: a commit costs as much as some thirty rows.
     *
     * @param statement of {@link #behind}
     * @param first the parameters of its function
     */
    public Future<Set<UUID>> appendBehind(SqlClient client, String statement, Tuple first, List<ActivityRow> rows) {
        return run(client, statement, rows, true, first);
    }

    private static Future<Set<UUID>> run(SqlClient transaction, String function, List<ActivityRow> rows) {
        return run(transaction, function, rows, true, Tuple.tuple());
    }

    private static Future<Set<UUID>> run(
            SqlClient transaction, String function, List<ActivityRow> rows, boolean named, Tuple further) {
        if (rows.isEmpty()) {
            return Future.succeededFuture(Set.of());
        }
        if (rows.size() > ROWS_MAX) {
            return Future.failedFuture(ApiError.invalid("at most %d activity rows at once".formatted(ROWS_MAX)));
        }
        return transaction
                .preparedQuery(function)
                .execute(columnsOf(rows, named, further))
                .map(inserted -> {
                    Set<UUID> fresh = new HashSet<>();
                    inserted.forEach(row -> fresh.add(row.getUUID(0)));
                    return fresh;
                })
                .recover(failure -> Future.failedFuture(
                        failure instanceof PgException refused && FULL.equals(refused.getSqlState())
                                ? full()
                                : failure));
    }

    /**
     * To be called after the commit: wakes who waits for these workspaces' activity, and shows the canvas, by ACTIVITY_LOGGED without id and
     * bodies, the rows that want it, in their order.
     *
     * @param fresh the ids that {@link #append} answered
     */
    public void committed(List<ActivityRow> rows, Set<UUID> fresh) {
        arrived(rows, fresh);
        var untold = new HashSet<>(fresh); // a batch may hold the same row twice
        rows.stream().filter(row -> untold.remove(row.id())).forEach(this::announce);
    }

    /** As {@link #committed}, but the canvas is told by {@link #announce}, or not at all. */
    public void arrived(List<ActivityRow> rows, Set<UUID> fresh) {
        if (!fresh.isEmpty()) {
            var arrived = rows.stream().filter(row -> fresh.contains(row.id())).map(ActivityRow::workspaceId);
            bus.publish(ActivityArrived.HINT, new ActivityArrived(arrived.collect(Collectors.toSet())));
        }
    }

    /** Shows the canvas a row that wants it. */
    public void announce(ActivityRow row) {
        if (row.announce()) {
            new LiveEvent("ACTIVITY_LOGGED", row.workspaceId(), clock.instant(), payload(row)).publishOn(bus);
        }
    }

    /** What a workspace is answered that has used up its day. */
    public static ApiError full() {
        return new ApiError(
                ApiError.Kind.INSUFFICIENT_STORAGE, "the workspace's activity of today takes up all that it may");
    }

    private static ObjectNode payload(ActivityRow row) {
        var payload = Json.object()
                .put("activity_type", row.activityType())
                .put("method", row.method())
                .put("summary", row.summary())
                .put("status", row.status())
                .put("source_id", text(row.sourceId()))
                .put("target_id", text(row.targetId()))
                .put("duration_ms", row.durationMs());
        String trace = row.toolTrace();
        if (trace != null) {
            putTrace(payload, trace);
        }
        return payload;
    }

    private static void putTrace(ObjectNode payload, String trace) {
        try {
            payload.set("tool_trace", Json.stored(trace));
        } catch (UncheckedIOException unreadable) {
            // the row was stored without it, too
        }
    }

    private static @Nullable String text(@Nullable UUID id) {
        return id == null ? null : id.toString();
    }

    /** @param named whether on whose behalf they are is kept */
    private static Tuple columnsOf(List<ActivityRow> rows, boolean named, Tuple further) {
        var columns = Tuple.tuple()
                .addArrayOfUUID(column(rows, ActivityRow::id, new UUID[0]))
                .addArrayOfUUID(column(rows, ActivityRow::workspaceId, new UUID[0]))
                .addArrayOfString(column(rows, ActivityRow::activityType, new String[0]))
                .addArrayOfUUID(column(rows, ActivityRow::sourceId, new UUID[0]))
                .addArrayOfUUID(column(rows, ActivityRow::targetId, new UUID[0]))
                .addArrayOfString(column(rows, ActivityRow::method, new String[0]))
                .addArrayOfString(column(rows, ActivityRow::summary, new String[0]))
                .addArrayOfString(column(rows, ActivityRow::requestBody, new String[0]))
                .addArrayOfString(column(rows, ActivityRow::responseBody, new String[0]))
                .addArrayOfString(column(rows, ActivityRow::toolTrace, new String[0]))
                .addArrayOfInteger(column(rows, ActivityRow::durationMs, new Integer[0]))
                .addArrayOfString(column(rows, ActivityRow::status, new String[0]))
                .addArrayOfString(column(rows, ActivityRow::errorDetail, new String[0]))
                .addArrayOfString(column(rows, ActivityRow::idempotencyKey, new String[0]))
                .addArrayOfUUID(column(rows, ActivityRow::workId, new UUID[0]))
                .addArrayOfOffsetDateTime(
                        column(rows, row -> row.createdAt().atOffset(ZoneOffset.UTC), new OffsetDateTime[0]));
        if (named) {
            columns.addArrayOfUUID(column(rows, ActivityLog::passport, new UUID[0]))
                    .addArrayOfString(column(rows, ActivityLog::principal, new String[0]));
        }
        for (int i = 0; i < further.size(); i++) {
            columns.addValue(further.getValue(i));
        }
        return columns;
    }

    private static @Nullable UUID passport(ActivityRow row) {
        var behalf = row.behalf();
        return behalf == null ? null : behalf.passportId();
    }

    private static @Nullable String principal(ActivityRow row) {
        var behalf = row.behalf();
        return behalf == null ? null : behalf.principal();
    }

    private static <T> T[] column(
            List<ActivityRow> rows, Function<ActivityRow, ? extends @Nullable T> field, T[] empty) {
        return rows.stream().map(field).toList().toArray(empty);
    }
}
