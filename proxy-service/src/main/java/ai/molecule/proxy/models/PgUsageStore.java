package ai.molecule.proxy.models;

import ai.molecule.common.bus.proxy.ModelSpend;
import ai.molecule.common.bus.proxy.TeamSpend;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Calls of models added up, from {@code model_calls}. */
final class PgUsageStore {

    /**
     * Calls added up.
     *
     * @param key what they have in common; null for those that have none of it
     * @param costMicros of those whose price is known; null when that is none of them
     * @param unpriced calls of unknown cost
     * @param estimated calls whose tokens are estimated
     */
    record Sum(
            @Nullable String key,
            long calls,
            long tokensIn,
            long cacheRead,
            long cacheWrite,
            long tokensOut,
            long reasoning,
            @Nullable Long costMicros,
            long unpriced,
            long estimated) {}

    private static final String SUMS = """
            SELECT %1$s AS key, count(*) AS calls, sum(tokens_in)::bigint AS tokens_in, sum(cache_read)::bigint AS cache_read,
                sum(cache_write)::bigint AS cache_write, sum(tokens_out)::bigint AS tokens_out, sum(reasoning)::bigint AS reasoning,
                sum(cost_micros)::bigint AS cost_micros, count(*) FILTER (WHERE cost_micros IS NULL) AS unpriced,
                count(*) FILTER (WHERE estimated) AS estimated
            FROM model_calls %3$s WHERE started_at >= $1 AND started_at < $2 AND ($4::uuid[] IS NULL OR %4$s = ANY ($4))
            GROUP BY 1 ORDER BY %2$s LIMIT $3
            """;

    private static final String DEAREST_FIRST = "cost_micros DESC NULLS LAST, calls DESC, key";

    private static final String CALLER = "workspace_id";

    private static final String OF_WORKSPACE = """
            SELECT workspace_id::text AS key, count(*) AS calls, coalesce(sum(tokens_in), 0)::bigint AS tokens_in,
                coalesce(sum(cache_read), 0)::bigint AS cache_read, coalesce(sum(cache_write), 0)::bigint AS cache_write,
                coalesce(sum(tokens_out), 0)::bigint AS tokens_out, coalesce(sum(reasoning), 0)::bigint AS reasoning,
                sum(cost_micros)::bigint AS cost_micros, count(*) FILTER (WHERE cost_micros IS NULL) AS unpriced,
                count(*) FILTER (WHERE estimated) AS estimated
            FROM model_calls WHERE workspace_id = $1 AND started_at >= $2 AND started_at < $3 GROUP BY 1
            """;

    private static final String OF_MONTH = """
            SELECT workspace_id, spent, coalesce(refused, 0) AS refused FROM model_budgets
            WHERE workspace_id = ANY ($1::uuid[]) AND period = $2 AND (spent > 0 OR refused > 0)
            """;

    private static final String OF_TEAMS = """
            SELECT team_id, spent, coalesce(refused, 0) AS refused FROM model_team_budgets
                JOIN unnest($1::uuid[], $2::text[], $3::date[]) AS asked (team_id, kind, period) USING (team_id, kind, period)
            """;

    private static final long MICROS_PER_CENT = 10_000;

    private final Pool pool;

    PgUsageStore(Pool pool) {
        this.pool = pool;
    }

    /**
     * The dearest first, at most {@code max}; days in their order.
     *
     * @param within only what these called, or of teams these; null for all
     */
    Future<List<Sum>> sums(UsageQuestion question, int max, @Nullable Set<UUID> within) {
        return pool.preparedQuery(sql(question.by()))
                .execute(Tuple.of(
                                question.from().atOffset(ZoneOffset.UTC),
                                question.to().atOffset(ZoneOffset.UTC),
                                max)
                        .addArrayOfUUID(within == null ? null : within.toArray(UUID[]::new)))
                .map(rows -> rows.stream().map(PgUsageStore::toSum).toList());
    }

    /** Empty when it called none. */
    Future<Optional<Sum>> sumOf(UUID workspaceId, Instant from, Instant to) {
        return pool.preparedQuery(OF_WORKSPACE)
                .execute(Tuple.of(workspaceId, from.atOffset(ZoneOffset.UTC), to.atOffset(ZoneOffset.UTC)))
                .map(rows -> rows.stream().findFirst().map(PgUsageStore::toSum));
    }

    /** Serves {@link ModelSpend}. */
    Future<ModelSpend.Spent> spent(ModelSpend question) {
        return pool.preparedQuery(OF_MONTH)
                .execute(Tuple.of(question.workspaceIds().toArray(UUID[]::new), question.month()))
                .map(rows -> new ModelSpend.Spent(rows.stream()
                        .map(row -> new ModelSpend.One(
                                row.getUUID("workspace_id"),
                                row.getLong("spent") / MICROS_PER_CENT,
                                row.getLong("spent"),
                                row.getLong("refused")))
                        .toList()));
    }

    /** Serves {@link TeamSpend}. */
    Future<TeamSpend.Spent> spent(TeamSpend question) {
        var teams = question.teams();
        return pool.preparedQuery(OF_TEAMS)
                .execute(Tuple.of(
                        teams.stream().map(TeamSpend.Team::id).toArray(UUID[]::new),
                        teams.stream().map(TeamSpend.Team::kind).toArray(String[]::new),
                        teams.stream().map(TeamSpend.Team::period).toArray(LocalDate[]::new)))
                .map(rows -> new TeamSpend.Spent(rows.stream()
                        .map(row ->
                                new TeamSpend.One(row.getUUID("team_id"), row.getLong("spent"), row.getLong("refused")))
                        .toList()));
    }

    private static String sql(UsageQuestion.By by) {
        return switch (by) {
            case AGENT -> SUMS.formatted("workspace_id::text", DEAREST_FIRST, "", CALLER);
            case TEAM -> SUMS.formatted("team_id::text", DEAREST_FIRST, ", unnest(team_ids) AS team_id", "team_id");
            case TENANT -> SUMS.formatted("tenant", DEAREST_FIRST, "", CALLER);
            case MODEL -> SUMS.formatted("provider || ':' || model", DEAREST_FIRST, "", CALLER);
            case DELEGATION -> SUMS.formatted("delegation_id", DEAREST_FIRST, "", CALLER);
            case PRINCIPAL -> SUMS.formatted("on_behalf_of", DEAREST_FIRST, "", CALLER);
            case DAY -> SUMS.formatted("to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')", "key", "", CALLER);
        };
    }

    private static Sum toSum(Row row) {
        return new Sum(
                row.getString("key"),
                row.getLong("calls"),
                row.getLong("tokens_in"),
                row.getLong("cache_read"),
                row.getLong("cache_write"),
                row.getLong("tokens_out"),
                row.getLong("reasoning"),
                row.getLong("cost_micros"),
                row.getLong("unpriced"),
                row.getLong("estimated"));
    }
}
