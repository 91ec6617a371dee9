package ai.molecule.registry.freeze;

import ai.molecule.common.db.Database;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Objects;

/**
 * Deaths and the freeze, in {@code deaths} and the one row of {@code restart_freeze}. Deaths are written by the transition that is one. All
 * times are the database's.
 */
public record PgFreezeStore(Database database) {

    /** One statement, one snapshot. Whether somebody was heard is looked for only while it matters. */
    private static final String FIND = """
            WITH now AS MATERIALIZED (SELECT moment() AS at)
            SELECT now.at AS now, since, healthy_since, trial_at, died.count::integer AS died,
                since IS NOT NULL AND EXISTS (SELECT 1 FROM heartbeats WHERE last_heartbeat_at > since) AS heard,
                CASE WHEN died.count >= $2
                     THEN (SELECT count(*) FROM workspaces WHERE status IN ('online', 'degraded')) ELSE 0
                END::integer AS live
            FROM now, restart_freeze, LATERAL (
                SELECT count(DISTINCT workspace_id) FROM deaths
                WHERE at > now.at - $1 * interval '1 millisecond' AND at <= now.at
                    AND (counted_from IS NULL OR at > counted_from OR counted_from > now.at)
            ) AS died
            """;

    /** Of two that freeze at once the second finds the row frozen. */
    private static final String FREEZE = """
            UPDATE restart_freeze SET since = moment(), deaths = $1, healthy_since = NULL, trial_at = NULL
            WHERE since IS NULL
            """;

    private static final String SEEN = """
            UPDATE restart_freeze SET healthy_since = CASE WHEN $1 THEN coalesce(healthy_since, moment()) END
            WHERE since IS NOT NULL
            """;

    /** Of two that try at once the second finds it tried. */
    private static final String TRY_ONE = """
            UPDATE restart_freeze SET trial_at = moment()
            WHERE since IS NOT NULL AND healthy_since <= moment() - $1 * interval '1 millisecond'
                AND coalesce(trial_at, since) <= moment() - $2 * interval '1 millisecond'
            """;

    private static final String THAW = """
            UPDATE restart_freeze SET since = NULL, healthy_since = NULL, trial_at = NULL, counted_from = moment()
            """;

    private static final String FORGET = "DELETE FROM deaths WHERE at < moment() - $1 * interval '1 millisecond'";

    /** Counts deaths within the window, and the living only when there were enough of them to matter. */
    public Future<Freeze> find() {
        return database.get(FIND, Tuple.of(millis(Freeze.WINDOW), Freeze.DEATHS_MIN), PgFreezeStore::toFreeze);
    }

    /** Whether this call froze restarts; false when they were already. */
    public Future<Boolean> freeze(int died) {
        return database.changes(FREEZE, Tuple.of(died));
    }

    /** Remembers since when the engine is well, or forgets it. */
    public Future<Void> seen(boolean healthy) {
        return database.run(SEEN, Tuple.of(healthy));
    }

    /** Takes the one restart that may be tried now; false when none may. */
    public Future<Boolean> tryOne() {
        return database.changes(TRY_ONE, Tuple.of(millis(Freeze.HEALTHY_FOR), millis(Freeze.TRIAL_EVERY)));
    }

    /** Ends the freeze; deaths before now no longer count. */
    public Future<Void> thaw() {
        return database.run(THAW);
    }

    /** Deletes deaths that no longer count. */
    public Future<Void> forgetDeaths(Duration kept) {
        return database.run(FORGET, Tuple.of(millis(kept)));
    }

    private static double millis(Duration duration) {
        return duration.toMillis();
    }

    private static Freeze toFreeze(Row row) {
        return new Freeze(
                Objects.requireNonNull(PgValues.instant(row, "now")),
                PgValues.instant(row, "since"),
                PgValues.instant(row, "healthy_since"),
                PgValues.instant(row, "trial_at"),
                row.getBoolean("heard"),
                row.getInteger("died"),
                row.getInteger("live"));
    }
}
