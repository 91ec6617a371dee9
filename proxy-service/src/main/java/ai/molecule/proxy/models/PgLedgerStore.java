package ai.molecule.proxy.models;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What was spent and promised, in {@code model_calls}, {@code model_budgets} and {@code model_reservations}. Amounts are millionths of a dollar. */
final class PgLedgerStore {

    /**
     * Who asks for money.
     *
     * @param least what is of use; less is nothing
     * @param wanted what is asked for
     * @param limit of the workspace's own budget; null when it has none
     * @param teams whose budgets bound it too
     * @param reported what the workspace says itself that it spent: the larger of that and what was metered counts
     * @param word what is known of the call now
     */
    record Ask(
            UUID callId,
            UUID workspaceId,
            LocalDate period,
            long least,
            long wanted,
            long reported,
            @Nullable Long limit,
            List<ModelAccount> teams,
            LastWord word) {

        /** The same call, later. */
        Ask asking(long leastNow, long wantedNow, LastWord wordNow) {
            return new Ask(callId, workspaceId, period, leastNow, wantedNow, reported, limit, teams, wordNow);
        }
    }

    /**
     * What a call has come to, should nothing more be heard of its proxy.
     *
     * @param used what it cost so far; null where only its end will tell: then all that it is promised counts
     * @param written tokens of output so far
     * @param about see {@link PlannedCall#toJson}; null leaves no row
     */
    record LastWord(
            @Nullable Long used, long written, @Nullable String about) {}

    /** The function locks the rows before it reads them, so of two that ask at once the second sees what the first was promised. */
    private static final String RESERVE =
            "SELECT promise_for_call($1, $2, $3, $4, $5, $6, $7, $8, $9::text::jsonb, $10, $11, $12::text::jsonb) AS granted";

    /** Waits for nobody: a row that is locked is being settled, or ended. */
    private static final String RENEW = """
            WITH held AS MATERIALIZED (
                SELECT call_id FROM model_reservations WHERE call_id = ANY ($1) FOR UPDATE SKIP LOCKED
            ), renewed AS (
                UPDATE model_reservations AS r
                SET expires_at = now() + $2::bigint * interval '1 ms', used = greatest(r.used, word.used),
                    written = greatest(r.written, word.written)
                FROM held JOIN unnest($1::uuid[], $3::bigint[], $4::bigint[]) AS word (call_id, used, written) USING (call_id)
                WHERE r.call_id = held.call_id
            )
            SELECT now() AS at
            """;

    /**
     * One statement: a row, its cost and the end of its promise are seen together or not at all. A row that is there already books nothing,
     * but one that was written for a proxy thought dead, which is not: it is replaced and the difference booked.
     * Months are taken in order, so that two proxies never wait for each other in a circle.
     */
    private static final String SETTLE = """
            WITH ended AS MATERIALIZED (
                SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[],
                    $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::boolean[], $15::text[], $16::integer[],
                    $17::timestamptz[], $18::bigint[], $19::date[], $20::text[], $21::integer[], $22::text[], $23::uuid[],
                    $24::text[])
                AS c (id, workspace_id, context, trace_id, provider, model, operation, tokens_in, cache_read, cache_write, tokens_out,
                    reasoning, cost_micros, estimated, outcome, status, started_at, duration_ms, period, teams, attempts, instead_of,
                    passport_id, on_behalf_of)
            ), written AS (
                INSERT INTO model_calls (id, workspace_id, work_id, delegation_id, context, trace_id, provider, model, operation, tokens_in,
                    cache_read, cache_write, tokens_out, reasoning, cost_micros, estimated, outcome, status, started_at, duration_ms,
                    attempts, instead_of, passport_id, on_behalf_of, team_ids, tenant)
                SELECT id, workspace_id,
                    (SELECT (part ->> 'id')::uuid FROM jsonb_array_elements(ended.teams::jsonb) AS part WHERE part ->> 'kind' = 'work'),
                    handed_on(ended.workspace_id, ended.context),
                    context, trace_id, provider, model, operation, tokens_in, cache_read, cache_write, tokens_out, reasoning,
                    cost_micros, estimated, outcome, status, started_at, duration_ms, attempts, instead_of, passport_id, on_behalf_of,
                    ARRAY(SELECT DISTINCT (team ->> 'id')::uuid FROM jsonb_array_elements(ended.teams::jsonb) AS team
                        WHERE team ->> 'kind' NOT IN ('work', 'delegation', 'organization')),
                    (SELECT max(team ->> 'tenant') FROM jsonb_array_elements(ended.teams::jsonb) AS team)
                FROM ended
                ON CONFLICT (id) DO UPDATE SET lost_micros = model_calls.cost_micros, work_id = excluded.work_id, delegation_id = excluded.delegation_id,
                    tokens_in = excluded.tokens_in, cache_read = excluded.cache_read, cache_write = excluded.cache_write,
                    tokens_out = excluded.tokens_out, reasoning = excluded.reasoning, cost_micros = excluded.cost_micros,
                    estimated = excluded.estimated, outcome = excluded.outcome, status = excluded.status,
                    duration_ms = excluded.duration_ms, attempts = excluded.attempts, team_ids = excluded.team_ids
                WHERE model_calls.outcome = 'lost'
                RETURNING id, coalesce(lost_micros, 0) AS before
            ), freed AS (
                DELETE FROM model_reservations AS r USING ended WHERE r.call_id = ended.id
                RETURNING r.workspace_id, r.period, r.micros, r.teams
            ), booked AS (
                SELECT workspace_id, period, sum(cost) AS cost, sum(micros) AS micros FROM (
                    SELECT workspace_id, period, coalesce(cost_micros, 0) - before AS cost, 0 AS micros
                    FROM ended JOIN written USING (id)
                    UNION ALL SELECT workspace_id, period, 0, micros FROM freed
                ) AS parts GROUP BY workspace_id, period ORDER BY workspace_id, period
            ), own AS (
                INSERT INTO model_budgets AS b (workspace_id, period, spent, reserved)
                SELECT workspace_id, period, cost, -micros FROM booked
                ON CONFLICT (workspace_id, period) DO UPDATE
                SET spent = b.spent + excluded.spent, reserved = b.reserved + excluded.reserved
                RETURNING 1
            )
            INSERT INTO model_team_budgets AS b (team_id, kind, period, spent, reserved)
            SELECT id, kind, period, sum(cost), -sum(micros) FROM (
                SELECT t.id, t.kind, t.period, coalesce(cost_micros, 0) - before AS cost, 0 AS micros
                FROM ended JOIN written ON written.id = ended.id,
                    jsonb_to_recordset(ended.teams::jsonb) AS t (id uuid, kind text, period date)
                UNION ALL SELECT t.id, t.kind, t.period, 0, freed.micros
                FROM freed, jsonb_to_recordset(freed.teams) AS t (id uuid, kind text, period date)
            ) AS parts
            WHERE (SELECT count(*) FROM own) >= 0 -- so that the workspaces' own are locked first
            GROUP BY id, kind, period ORDER BY id, kind, period
            ON CONFLICT (team_id, kind, period) DO UPDATE
            SET spent = b.spent + excluded.spent, reserved = b.reserved + excluded.reserved
            """;

    /**
     * Of several that look, each takes what no other has. What a call has spent by the last word stays spent, with its row; the rest of its
     * promise comes back. All of it, where the call's own row is there already: that has booked what it cost, before the promise was made
     * whose answer was lost. None that whoever looks renews itself, and none at all where the time has come until when others may be called
     * dead: after an outage all promises have expired, also those of calls that live.
     */
    private static final String END_EXPIRED = """
            WITH due AS MATERIALIZED (
                SELECT call_id FROM model_reservations
                WHERE expires_at < now() AND now() < $2::timestamptz AND call_id <> ALL ($3::uuid[])
                LIMIT $1 FOR UPDATE SKIP LOCKED
            ), freed AS (
                DELETE FROM model_reservations AS r USING due WHERE r.call_id = due.call_id
                RETURNING r.call_id, r.workspace_id, r.period, r.micros, r.teams, r.written, r.about,
                    CASE WHEN EXISTS (SELECT 1 FROM model_calls AS c WHERE c.id = r.call_id) THEN 0 ELSE r.used END AS used
            ), lost AS (
                INSERT INTO model_calls (id, workspace_id, work_id, delegation_id, context, trace_id, provider, model, operation, tokens_in,
                    cache_read, cache_write, tokens_out, reasoning, cost_micros, estimated, outcome, status, started_at, duration_ms,
                    instead_of, passport_id, on_behalf_of, team_ids, tenant)
                SELECT call_id, workspace_id,
                    (SELECT (part ->> 'id')::uuid FROM jsonb_array_elements(about -> 'teams') AS part WHERE part ->> 'kind' = 'work'),
                    handed_on(freed.workspace_id, c.context),
                    c.context, c.trace_id, c.provider, c.model, c.operation, c.tokens_in, 0, 0, written, 0, used, true, 'lost', 0,
                    c.started_at, greatest(0, extract(epoch FROM now() - c.started_at) * 1000)::bigint, c.instead_of, c.passport_id,
                    c.on_behalf_of,
                    ARRAY(SELECT DISTINCT (team ->> 'id')::uuid FROM jsonb_array_elements(about -> 'teams') AS team
                        WHERE team ->> 'kind' NOT IN ('work', 'delegation', 'organization')),
                    (SELECT max(team ->> 'tenant') FROM jsonb_array_elements(about -> 'teams') AS team)
                FROM freed, jsonb_to_record(about) AS c (context text, trace_id text, provider text, model text, operation text,
                    tokens_in bigint, started_at timestamptz, instead_of text, passport_id uuid, on_behalf_of text)
                WHERE about IS NOT NULL
                ON CONFLICT (id) DO NOTHING
            ), booked AS (
                INSERT INTO model_budgets AS b (workspace_id, period, spent, reserved)
                SELECT workspace_id, period, sum(used), -sum(micros) FROM freed
                GROUP BY workspace_id, period ORDER BY workspace_id, period
                ON CONFLICT (workspace_id, period) DO UPDATE
                SET spent = b.spent + excluded.spent, reserved = b.reserved + excluded.reserved
                RETURNING 1
            ), teams AS (
                INSERT INTO model_team_budgets AS b (team_id, kind, period, spent, reserved)
                SELECT id, kind, period, sum(used), -sum(micros) FROM (
                    SELECT t.*, 0 AS used, freed.micros FROM freed, jsonb_to_recordset(freed.teams) AS t (id uuid, kind text, period date)
                    UNION ALL
                    SELECT t.*, freed.used, 0
                    FROM freed, jsonb_to_recordset(coalesce(about -> 'teams', teams)) AS t (id uuid, kind text, period date)
                ) AS parts
                WHERE (SELECT count(*) FROM booked) >= 0 -- the workspaces' own first, as everywhere
                GROUP BY id, kind, period ORDER BY id, kind, period
                ON CONFLICT (team_id, kind, period) DO UPDATE
                SET spent = b.spent + excluded.spent, reserved = b.reserved + excluded.reserved
            )
            SELECT count(*)::integer AS ended FROM freed
            """;

    private static final String STANDINGS = """
            SELECT t.id, t.kind, coalesce(b.spent, 0) AS spent, coalesce(b.reserved, 0) AS reserved
            FROM jsonb_to_recordset($1::text::jsonb) AS t (id uuid, kind text, period date)
                LEFT JOIN model_team_budgets AS b ON b.team_id = t.id AND b.kind = t.kind AND b.period = t.period
            """;

    private static final String PRUNE = """
            DELETE FROM model_calls WHERE id IN (
                SELECT id FROM model_calls WHERE started_at < now() - $1::bigint * interval '1 ms' ORDER BY started_at LIMIT $2
                FOR UPDATE SKIP LOCKED)
            """;

    /** Of works and delegations that there are no more. */
    private static final String PRUNE_ACCOUNTS = """
            DELETE FROM model_team_budgets WHERE (team_id, kind, period) IN (
                SELECT team_id, kind, period FROM model_team_budgets AS b WHERE kind IN ('work', 'delegation')
                    AND NOT EXISTS (SELECT 1 FROM works WHERE works.id = b.team_id)
                    AND NOT EXISTS (SELECT 1 FROM delegations WHERE delegations.id = b.team_id) LIMIT $1 FOR UPDATE SKIP LOCKED)
            """;

    /** Of months that were over before the oldest call that is kept began; nobody is promised anything in them. */
    private static final String PRUNE_MONTHS = """
            DELETE FROM model_budgets WHERE (workspace_id, period) IN (
                SELECT workspace_id, period FROM model_budgets
                WHERE period < (now() - $1::bigint * interval '1 ms')::date - 31 AND reserved <= 0
                ORDER BY period LIMIT $2 FOR UPDATE SKIP LOCKED)
            """;

    private static final String PRUNE_TEAMS_PERIODS = """
            DELETE FROM model_team_budgets WHERE (team_id, kind, period) IN (
                SELECT team_id, kind, period FROM model_team_budgets
                WHERE period < (now() - $1::bigint * interval '1 ms')::date - 31 AND kind IN ('month', 'day', 'organization')
                    AND reserved <= 0
                ORDER BY period LIMIT $2 FOR UPDATE SKIP LOCKED)
            """;

    /** What a provider may be asked is all of it again after a minute. */
    private static final String PRUNE_PACES = """
            DELETE FROM model_paces WHERE (provider, owner) IN (
                SELECT provider, owner FROM model_paces WHERE at < now() - interval '1 day' LIMIT $1 FOR UPDATE SKIP LOCKED)
            """;

    private final Pool pool;

    PgLedgerStore(Pool pool) {
        this.pool = pool;
    }

    /** Promises {@code wanted}, or what is left when that is enough; completes with what was promised, 0 for nothing. */
    Future<Long> reserve(Ask ask, Duration expiry) {
        return pool.preparedQuery(RESERVE)
                .execute(Tuple.tuple()
                        .addUUID(ask.callId())
                        .addUUID(ask.workspaceId())
                        .addLocalDate(ask.period())
                        .addLong(ask.least())
                        .addLong(ask.wanted())
                        .addLong(ask.reported())
                        .addLong(ask.limit())
                        .addLong(expiry.toMillis())
                        .addString(ModelAccount.toJson(ask.teams()).toString())
                        .addLong(ask.word().used())
                        .addLong(ask.word().written())
                        .addString(ask.word().about()))
                .map(rows -> rows.stream()
                        .map(row -> row.getLong("granted"))
                        .findFirst()
                        .orElse(0L));
    }

    /** What of an account is spent, and what is promised to calls under way. */
    record Standing(UUID id, String kind, long spent, long reserved) {

        boolean isOf(ModelAccount account) {
            return id.equals(account.id()) && kind.equals(account.kind());
        }
    }

    Future<List<Standing>> standings(List<ModelAccount> accounts) {
        return pool.preparedQuery(STANDINGS)
                .execute(Tuple.of(ModelAccount.toJson(accounts).toString()))
                .map(rows -> rows.stream()
                        .map(row -> new Standing(
                                row.getUUID("id"),
                                row.getString("kind"),
                                row.getLong("spent"),
                                row.getLong("reserved")))
                        .toList());
    }

    /** Promises of calls that live, with what they have come to; answers when that was, by the database's clock. To be asked also of none. */
    Future<Instant> renew(Map<UUID, LastWord> calls, Duration expiry) {
        var ids = List.copyOf(calls.keySet());
        var words = ids.stream().map(calls::get).toList();
        return pool.preparedQuery(RENEW)
                .execute(Tuple.tuple()
                        .addArrayOfUUID(ids.toArray(UUID[]::new))
                        .addLong(expiry.toMillis())
                        .addArrayOfLong(words.stream().map(LastWord::used).toArray(Long[]::new))
                        .addArrayOfLong(words.stream().map(LastWord::written).toArray(Long[]::new)))
                .map(rows -> rows.iterator().next().getOffsetDateTime("at").toInstant());
    }

    /** Writes calls down, books what they cost, ends their promises. The same row again changes nothing. */
    Future<?> settle(List<ModelCallRow> rows) {
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
                        .addArrayOfLocalDate(all(rows, ModelCallRow::period, LocalDate[]::new))
                        .addArrayOfString(all(
                                rows, row -> ModelAccount.toJson(row.teams()).toString(), String[]::new))
                        .addArrayOfInteger(all(rows, ModelCallRow::attempts, Integer[]::new))
                        .addArrayOfString(all(rows, ModelCallRow::insteadOf, String[]::new))
                        .addArrayOfUUID(all(rows, PgLedgerStore::passport, UUID[]::new))
                        .addArrayOfString(all(rows, PgLedgerStore::principal, String[]::new)));
    }

    /**
     * Ends promises that nobody renewed; how many.
     *
     * @param own that are renewed here, whenever they expired
     * @param until none is ended when the database's clock is at that already
     */
    Future<Integer> endExpired(Set<UUID> own, Instant until, int max) {
        return pool.preparedQuery(END_EXPIRED)
                .execute(Tuple.tuple()
                        .addInteger(max)
                        .addOffsetDateTime(until.atOffset(ZoneOffset.UTC))
                        .addArrayOfUUID(own.toArray(UUID[]::new)))
                .map(rows -> rows.iterator().next().getInteger("ended"));
    }

    /** Forgets calls that are older; how many. */
    Future<Integer> prune(Duration keep, int max) {
        return deleted(PRUNE, Tuple.of(keep.toMillis(), max));
    }

    /** Forgets what counted calls that are older, or whose run is forgotten; the most of one kind. */
    Future<Integer> pruneAccounts(Duration keep, int max) {
        return deleted(PRUNE_ACCOUNTS, Tuple.of(max))
                .compose(runs -> deleted(PRUNE_MONTHS, Tuple.of(keep.toMillis(), max))
                        .compose(months -> deleted(PRUNE_TEAMS_PERIODS, Tuple.of(keep.toMillis(), max))
                                .compose(periods -> deleted(PRUNE_PACES, Tuple.of(max))
                                        .map(paces -> IntStream.of(runs, months, periods, paces)
                                                .max()
                                                .getAsInt()))));
    }

    private Future<Integer> deleted(String statement, Tuple parameters) {
        return pool.preparedQuery(statement).execute(parameters).map(rows -> rows.rowCount());
    }

    private static @Nullable UUID passport(ModelCallRow row) {
        var behalf = row.behalf();
        return behalf == null ? null : behalf.passportId();
    }

    private static @Nullable String principal(ModelCallRow row) {
        var behalf = row.behalf();
        return behalf == null ? null : behalf.principal();
    }

    private static String operation(ModelCallRow row) {
        return row.operation().wireName();
    }

    private static <T> @Nullable T[] all(
            List<ModelCallRow> rows, Function<ModelCallRow, @Nullable T> part, IntFunction<T[]> array) {
        return rows.stream().map(part).toArray(array);
    }
}
