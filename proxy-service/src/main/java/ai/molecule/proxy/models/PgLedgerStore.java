package ai.molecule.proxy.models;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** {@link LedgerStore} on {@code model_calls}, {@code model_budgets} and {@code model_reservations}. */
final class PgLedgerStore implements LedgerStore {

    /**
     * The row of the month is locked before it is read ({@code ON CONFLICT DO UPDATE}), so of two that ask at once the second sees what the
     * first was promised. {@code granted} is the only way to learn what was left before the update.
     */
    private static final String RESERVE = """
            WITH promised AS (
                INSERT INTO model_budgets AS b (workspace_id, period, spent, reserved, granted)
                SELECT $2, $3, 0, least($5::bigint, $7::bigint - $6::bigint), least($5::bigint, $7::bigint - $6::bigint)
                WHERE $7::bigint - $6::bigint >= $4::bigint
                ON CONFLICT (workspace_id, period) DO UPDATE
                SET granted = least($5::bigint, $7::bigint - greatest(b.spent, $6::bigint) - b.reserved),
                    reserved = b.reserved + least($5::bigint, $7::bigint - greatest(b.spent, $6::bigint) - b.reserved)
                WHERE $7::bigint - greatest(b.spent, $6::bigint) - b.reserved >= $4::bigint
                RETURNING granted
            )
            INSERT INTO model_reservations AS r (call_id, workspace_id, period, micros, expires_at)
            SELECT $1, $2, $3, granted, now() + $8::bigint * interval '1 ms' FROM promised
            ON CONFLICT (call_id) DO UPDATE SET micros = r.micros + excluded.micros, expires_at = excluded.expires_at
            RETURNING (SELECT granted FROM promised) AS granted
            """;

    /** Waits for nobody: a row that is locked is being settled, or ended. */
    private static final String RENEW = """
            WITH held AS MATERIALIZED (
                SELECT call_id FROM model_reservations WHERE call_id = ANY ($1) FOR UPDATE SKIP LOCKED
            )
            UPDATE model_reservations AS r SET expires_at = now() + $2::bigint * interval '1 ms'
            FROM held WHERE r.call_id = held.call_id
            """;

    /**
     * One statement: a row, its cost and the end of its promise are seen together or not at all. A row that is there already books nothing.
     * Months are taken in order, so that two proxies never wait for each other in a circle.
     */
    private static final String SETTLE = """
            WITH ended AS MATERIALIZED (
                SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[],
                    $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::boolean[], $15::text[], $16::integer[],
                    $17::timestamptz[], $18::bigint[], $19::date[])
                AS c (id, workspace_id, context, trace_id, provider, model, operation, tokens_in, cache_read, cache_write, tokens_out,
                    reasoning, cost_micros, estimated, outcome, status, started_at, duration_ms, period)
            ), written AS (
                INSERT INTO model_calls (id, workspace_id, delegation_id, context, trace_id, provider, model, operation, tokens_in,
                    cache_read, cache_write, tokens_out, reasoning, cost_micros, estimated, outcome, status, started_at, duration_ms)
                SELECT id, workspace_id,
                    (SELECT d.delegation_id FROM delegations AS d
                        WHERE d.delegation_id = ended.context AND d.target_id = ended.workspace_id LIMIT 1),
                    context, trace_id, provider, model, operation, tokens_in, cache_read, cache_write, tokens_out, reasoning,
                    cost_micros, estimated, outcome, status, started_at, duration_ms
                FROM ended
                ON CONFLICT (id) DO NOTHING
                RETURNING id
            ), freed AS (
                DELETE FROM model_reservations AS r USING ended WHERE r.call_id = ended.id
                RETURNING r.workspace_id, r.period, r.micros
            ), booked AS (
                SELECT workspace_id, period, sum(cost) AS cost, sum(micros) AS micros FROM (
                    SELECT workspace_id, period, coalesce(cost_micros, 0) AS cost, 0 AS micros
                    FROM ended WHERE id IN (SELECT id FROM written)
                    UNION ALL SELECT workspace_id, period, 0, micros FROM freed
                ) AS parts GROUP BY workspace_id, period ORDER BY workspace_id, period
            )
            INSERT INTO model_budgets AS b (workspace_id, period, spent, reserved)
            SELECT workspace_id, period, cost, -micros FROM booked
            ON CONFLICT (workspace_id, period) DO UPDATE
            SET spent = b.spent + excluded.spent, reserved = b.reserved + excluded.reserved
            """;

    /** Of several that look, each takes what no other has. */
    private static final String END_EXPIRED = """
            WITH due AS MATERIALIZED (
                SELECT call_id FROM model_reservations WHERE expires_at < now() LIMIT $1 FOR UPDATE SKIP LOCKED
            ), freed AS (
                DELETE FROM model_reservations AS r USING due WHERE r.call_id = due.call_id
                RETURNING r.workspace_id, r.period, r.micros
            ), booked AS (
                INSERT INTO model_budgets AS b (workspace_id, period, reserved)
                SELECT workspace_id, period, -sum(micros) FROM freed GROUP BY workspace_id, period ORDER BY workspace_id, period
                ON CONFLICT (workspace_id, period) DO UPDATE SET reserved = b.reserved + excluded.reserved
            )
            SELECT count(*)::integer AS ended FROM freed
            """;

    private static final String PRUNE = """
            DELETE FROM model_calls WHERE id IN (
                SELECT id FROM model_calls WHERE started_at < now() - $1::bigint * interval '1 ms' ORDER BY started_at LIMIT $2)
            """;

    private final Pool pool;

    PgLedgerStore(Pool pool) {
        this.pool = pool;
    }

    @Override
    public Future<Long> reserve(Ask ask, Duration expiry) {
        return pool.preparedQuery(RESERVE)
                .execute(Tuple.tuple()
                        .addUUID(ask.callId())
                        .addUUID(ask.workspaceId())
                        .addLocalDate(ask.period())
                        .addLong(ask.least())
                        .addLong(ask.wanted())
                        .addLong(ask.reported())
                        .addLong(ask.limit())
                        .addLong(expiry.toMillis()))
                .map(rows -> rows.stream()
                        .map(row -> row.getLong("granted"))
                        .findFirst()
                        .orElse(0L));
    }

    @Override
    public Future<?> renew(Collection<UUID> callIds, Duration expiry) {
        return pool.preparedQuery(RENEW)
                .execute(Tuple.tuple()
                        .addArrayOfUUID(callIds.toArray(UUID[]::new))
                        .addLong(expiry.toMillis()));
    }

    @Override
    public Future<?> settle(List<ModelCallRow> rows) {
        return pool.preparedQuery(SETTLE)
                .execute(Tuple.tuple()
                        .addArrayOfUUID(all(rows, ModelCallRow::id, UUID[]::new))
                        .addArrayOfUUID(all(rows, ModelCallRow::workspaceId, UUID[]::new))
                        .addArrayOfString(all(rows, ModelCallRow::context, String[]::new))
                        .addArrayOfString(all(rows, ModelCallRow::traceId, String[]::new))
                        .addArrayOfString(all(rows, ModelCallRow::provider, String[]::new))
                        .addArrayOfString(all(rows, ModelCallRow::model, String[]::new))
                        .addArrayOfString(all(rows, PgLedgerStore::operation, String[]::new))
                        .addArrayOfLong(all(rows, row -> row.usage().in(), Long[]::new))
                        .addArrayOfLong(all(rows, row -> row.usage().cacheRead(), Long[]::new))
                        .addArrayOfLong(all(rows, row -> row.usage().cacheWrite(), Long[]::new))
                        .addArrayOfLong(all(rows, row -> row.usage().out(), Long[]::new))
                        .addArrayOfLong(all(rows, row -> row.usage().reasoning(), Long[]::new))
                        .addArrayOfLong(all(rows, ModelCallRow::costMicros, Long[]::new))
                        .addArrayOfBoolean(all(rows, ModelCallRow::estimated, Boolean[]::new))
                        .addArrayOfString(all(rows, row -> row.outcome().wireName(), String[]::new))
                        .addArrayOfInteger(all(rows, ModelCallRow::status, Integer[]::new))
                        .addArrayOfOffsetDateTime(
                                all(rows, row -> row.startedAt().atOffset(ZoneOffset.UTC), OffsetDateTime[]::new))
                        .addArrayOfLong(all(rows, row -> row.duration().toMillis(), Long[]::new))
                        .addArrayOfLocalDate(all(rows, ModelCallRow::period, LocalDate[]::new)));
    }

    @Override
    public Future<Integer> endExpired(int max) {
        return pool.preparedQuery(END_EXPIRED)
                .execute(Tuple.of(max))
                .map(rows -> rows.iterator().next().getInteger("ended"));
    }

    @Override
    public Future<Integer> prune(Duration keep, int max) {
        return pool.preparedQuery(PRUNE).execute(Tuple.of(keep.toMillis(), max)).map(rows -> rows.rowCount());
    }

    private static String operation(ModelCallRow row) {
        return row.operation().wireName();
    }

    private static <T> @Nullable T[] all(
            List<ModelCallRow> rows, Function<ModelCallRow, @Nullable T> part, IntFunction<T[]> array) {
        return rows.stream().map(part).toArray(array);
    }
}
