package ai.molecule.registry.freeze;

import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;

/** {@link FreezeStore} on {@code deaths} and the one row of {@code restart_freeze}. */
public final class PgFreezeStore implements FreezeStore {

    /** Replicas' clocks may differ by this much; deaths further ahead come from a clock that was set back since. */
    private static final Duration CLOCKS_DIFFER_MAX = Duration.ofSeconds(5);

    /** One statement, one snapshot. */
    private static final String FIND = """
            SELECT since, healthy_since, died.count::integer AS died,
                CASE WHEN died.count >= $4
                     THEN (SELECT count(*) FROM workspaces WHERE status IN ('online', 'degraded')) ELSE 0
                END::integer AS live
            FROM restart_freeze, LATERAL (
                SELECT count(DISTINCT workspace_id) FROM deaths
                WHERE at > $1 AND at <= $2 AND (counted_from IS NULL OR at > counted_from OR counted_from > $3)
            ) AS died
            """;

    /** Of two that freeze at once the second finds the row frozen. */
    private static final String FREEZE = """
            UPDATE restart_freeze SET since = $1, deaths = $2, healthy_since = NULL WHERE since IS NULL
            """;

    private static final String SEEN = """
            UPDATE restart_freeze SET healthy_since = CASE WHEN $1 THEN coalesce(healthy_since, $2) END
            WHERE since IS NOT NULL
            """;

    private static final String THAW = """
            UPDATE restart_freeze SET since = NULL, healthy_since = NULL, counted_from = $1
            """;

    private static final String FORGET = "DELETE FROM deaths WHERE at < $1";

    private final Pool pool;

    public PgFreezeStore(Pool pool) {
        this.pool = pool;
    }

    @Override
    public Future<Freeze> find(Instant now) {
        var latest = PgValues.time(now.plus(CLOCKS_DIFFER_MAX));
        return pool.preparedQuery(FIND)
                .execute(Tuple.of(PgValues.time(now.minus(Freeze.WINDOW)), latest, latest, Freeze.DEATHS_MIN))
                .map(rows -> toFreeze(rows.iterator().next()));
    }

    @Override
    public Future<Boolean> freeze(int died, Instant now) {
        return pool.preparedQuery(FREEZE)
                .execute(Tuple.of(PgValues.time(now), died))
                .map(done -> done.rowCount() > 0);
    }

    @Override
    public Future<Void> seen(boolean healthy, Instant now) {
        return pool.preparedQuery(SEEN)
                .execute(Tuple.of(healthy, PgValues.time(now)))
                .mapEmpty();
    }

    @Override
    public Future<Void> thaw(Instant now) {
        return pool.preparedQuery(THAW).execute(Tuple.of(PgValues.time(now))).mapEmpty();
    }

    @Override
    public Future<Void> forgetDeaths(Instant before) {
        return pool.preparedQuery(FORGET)
                .execute(Tuple.of(PgValues.time(before)))
                .mapEmpty();
    }

    private static Freeze toFreeze(Row row) {
        return new Freeze(
                PgValues.instant(row, "since"),
                PgValues.instant(row, "healthy_since"),
                row.getInteger("died"),
                row.getInteger("live"));
    }
}
