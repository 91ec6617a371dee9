package ai.molecule.proxy.spending;

import ai.molecule.common.cache.BriefCache;
import ai.molecule.common.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The table {@code spending}, which has one row (db/proxy/V193__limits_of_runs_and_days.sql). To be used on one event loop. */
public final class PgSpending {

    private static final String FIND = "SELECT run_limit_usd, day_cap_usd FROM spending";

    /** Held, so that of two changes at once neither is undone by what the other did not change. */
    private static final String HOLD = FIND + " FOR UPDATE";

    private static final String SET = "UPDATE spending SET run_limit_usd = $1, day_cap_usd = $2";

    private static final Duration AGE_MAX = Duration.ofSeconds(2);

    private final Database database;
    private final BriefCache<String, SpendingLimits> known = new BriefCache<>(AGE_MAX, 1);

    private @Nullable SpendingLimits last;

    public PgSpending(Database database) {
        this.database = database;
    }

    /** At most 2 s old; while PostgreSQL is away, as they were last known. */
    public Future<SpendingLimits> current() {
        return known.get(
                "",
                any -> find().onSuccess(found -> last = found).recover(away -> {
                    var before = last;
                    return before == null ? Future.failedFuture(away) : Future.succeededFuture(before);
                }));
    }

    Future<SpendingLimits> find() {
        return database.get(FIND, Tuple.tuple(), PgSpending::limits);
    }

    /** From the next run and the next call on; at other replicas 2 s later at most. Fails as {@code change} does, and changes nothing then. */
    Future<SpendingLimits> change(UnaryOperator<SpendingLimits> change) {
        return database.transaction(transaction -> transaction
                        .find(HOLD, Tuple.tuple(), PgSpending::limits)
                        .map(before -> change.apply(before.orElseThrow()))
                        .compose(next -> transaction
                                .run(SET, Tuple.of(next.run(), next.day()))
                                .map(next)))
                .onSuccess(changed -> known.clear());
    }

    private static SpendingLimits limits(Row row) {
        return new SpendingLimits(amount(row, "run_limit_usd"), amount(row, "day_cap_usd"));
    }

    private static @Nullable BigDecimal amount(Row row, String column) {
        var found = row.getBigDecimal(column);
        return found == null ? null : found.stripTrailingZeros();
    }
}
