package ai.molecule.proxy.models;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.ZoneOffset;
import java.util.List;

/** {@link UsageStore} on {@code model_calls}. */
final class PgUsageStore implements UsageStore {

    private static final String SUMS = """
            SELECT %1$s AS key, count(*) AS calls, sum(tokens_in)::bigint AS tokens_in, sum(cache_read)::bigint AS cache_read,
                sum(cache_write)::bigint AS cache_write, sum(tokens_out)::bigint AS tokens_out, sum(reasoning)::bigint AS reasoning,
                sum(cost_micros)::bigint AS cost_micros, count(*) FILTER (WHERE cost_micros IS NULL) AS unpriced,
                count(*) FILTER (WHERE estimated) AS estimated
            FROM model_calls WHERE started_at >= $1 AND started_at < $2
            GROUP BY 1 ORDER BY %2$s LIMIT $3
            """;

    private static final String DEAREST_FIRST = "cost_micros DESC NULLS LAST, calls DESC, key";

    private final Pool pool;

    PgUsageStore(Pool pool) {
        this.pool = pool;
    }

    @Override
    public Future<List<Sum>> sums(UsageQuestion question, int max) {
        return pool.preparedQuery(sql(question.by()))
                .execute(Tuple.of(
                        question.from().atOffset(ZoneOffset.UTC), question.to().atOffset(ZoneOffset.UTC), max))
                .map(rows -> rows.stream().map(PgUsageStore::toSum).toList());
    }

    private static String sql(UsageQuestion.By by) {
        return switch (by) {
            case AGENT -> SUMS.formatted("workspace_id::text", DEAREST_FIRST);
            case MODEL -> SUMS.formatted("provider || ':' || model", DEAREST_FIRST);
            case DELEGATION -> SUMS.formatted("delegation_id", DEAREST_FIRST);
            case DAY -> SUMS.formatted("to_char(started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')", "key");
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
