package ai.molecule.proxy.models;

import ai.molecule.common.models.Provider;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Requests and tokens a minute of each provider and key, which all proxies count together. */
final class PgProviderPaces {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    /**
     * Who may go.
     *
     * @param letGo the first so many
     * @param pause until the next one may
     */
    record Verdict(int letGo, Duration pause) {}

    private static final String PACE = "SELECT let_go, wait_ms FROM pace_calls($1, $2, $3, $4, $5, $6, $7)";

    private final Pool pool;

    PgProviderPaces(Pool pool) {
        this.pool = pool;
    }

    /**
     * @param owner whose key it is
     * @param owed tokens more than were asked for, of calls that are over
     * @param unused calls that were let go and did not
     * @param asked tokens of each that waits, in their order
     */
    Future<Verdict> pace(Provider provider, UUID owner, long owed, long unused, List<Long> asked) {
        var pace = provider.pace();
        return pool.preparedQuery(PACE)
                .execute(Tuple.tuple()
                        .addString(provider.name())
                        .addUUID(owner)
                        .addLong(pace.requests())
                        .addLong(pace.tokens())
                        .addLong(owed)
                        .addLong(unused)
                        .addArrayOfLong(asked.toArray(Long[]::new)))
                .timeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .map(rows -> rows.iterator().next())
                .map(row -> new Verdict(row.getInteger("let_go"), Duration.ofMillis(row.getLong("wait_ms"))));
    }
}
