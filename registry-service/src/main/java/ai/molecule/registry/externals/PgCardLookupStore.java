package ai.molecule.registry.externals;

import ai.molecule.common.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** The table {@code card_lookups} (db/registry/V190__cards_of_external_agents.sql). Rows begin with their workspace and end when that registers. */
record PgCardLookupStore(Database database) {

    /** An agent whose card is due. */
    record Due(UUID workspaceId, String url) {}

    /** Further ahead than anything is ever due: only a clock set back explains it. */
    private static final Duration AHEAD_MAX = Duration.ofHours(1);

    /** A miss or two are no reason to look less often, and a workspace that is offline for days is none to look every few seconds. */
    private static final Duration MISSED_MAX = Duration.ofMinutes(5);

    /** Of several replicas each takes others, because those in use are skipped; who dies with one has it due again. */
    private static final String CLAIM = """
            WITH claimed AS (
                UPDATE card_lookups SET due_at = moment() + $1 * interval '1 millisecond'
                WHERE workspace_id = ANY (ARRAY(
                    SELECT workspace_id FROM card_lookups
                    WHERE due_at <= moment() OR due_at > moment() + $2 * interval '1 millisecond'
                    ORDER BY due_at LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED
                ))
                RETURNING workspace_id
            )
            SELECT id, url FROM claimed JOIN workspaces ON id = workspace_id
            WHERE status IN ('online', 'degraded', 'offline') AND NOT quarantined
            """;

    private static final String FOUND = "UPDATE card_lookups SET misses = 0 WHERE workspace_id = $1 AND misses > 0";

    private static final String MISSED = """
            UPDATE card_lookups SET misses = least(misses + 1, 20),
                due_at = moment() + least($2 * power(2, greatest(0, misses - 3)), $3) * interval '1 millisecond'
            WHERE workspace_id = $1
            """;

    private static final String FORGET = """
            DELETE FROM card_lookups USING workspaces WHERE id = workspace_id AND status = 'removed'
            """;

    /** Those due, the longest first; due again after {@code every}. */
    Future<List<Due>> claim(Duration every, int max) {
        return database.list(
                CLAIM,
                Tuple.of((double) every.toMillis(), (double) AHEAD_MAX.toMillis(), max),
                row -> new Due(row.getUUID("id"), row.getString("url")));
    }

    Future<Void> found(UUID workspaceId) {
        return database.run(FOUND, Tuple.of(workspaceId));
    }

    /** Due again after {@code every}; after four misses in a row later and later, up to 5 minutes. */
    Future<Void> missed(UUID workspaceId, Duration every) {
        return database.run(MISSED, Tuple.of(workspaceId, (double) every.toMillis(), (double) MISSED_MAX.toMillis()));
    }

    Future<Void> forgetRemoved() {
        return database.run(FORGET);
    }
}
