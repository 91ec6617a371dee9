package ai.molecule.registry.secrets;

import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which values agents have, in {@code secret_holders}: how many changes there were of secrets that may concern one, and after how many it was
 * told. Rows of workspaces that were never told anything are missing, and need not be.
 */
public record PgSecretHolders(Database database) {

    /** So many agents are named that have an older value of one secret. */
    static final int OUTDATED_MAX = 100;

    /** Agents that run, and so have values of some age. */
    static final String RUNS =
            "status NOT IN ('removed', 'paused', 'hibernated', 'failed', 'provisioning', 'awaiting_agent')";

    /** Agents that have older values, which are few, and which workspaces they are below: by that it is known which global secrets they may read. */
    static final String HOLDERS = """
            WITH RECURSIVE holder AS (
                SELECT workspace_id, changed_at, managed FROM secret_holders JOIN workspaces ON id = workspace_id
                WHERE told < secret_holders.version AND %s ORDER BY workspace_id LIMIT 1000
            ), branch (holder, id, parent_id, tenant) AS (
                SELECT workspace_id, id, parent_id, tenant FROM holder JOIN workspaces ON id = workspace_id
                UNION
                SELECT branch.holder, above.id, above.parent_id, above.tenant FROM workspaces AS above JOIN branch ON above.id = branch.parent_id
            ), above AS (
                SELECT holder, array_agg(id) AS ids, bool_or(tenant IS NOT NULL) AS of_tenant FROM branch GROUP BY holder
            )
            """.formatted(RUNS);

    /** Whether {@code holder} has an older value of the global {@code secret}. $1: the keys of providers, which no agent of ours is told. */
    static final String HAS_OLDER = """
            secret.updated_at >= holder.changed_at AND NOT (holder.managed AND secret.key = ANY ($1))
                AND (secret.granted_to && above.ids OR (secret.granted_to IS NULL AND NOT above.of_tenant))
                AND NOT EXISTS (SELECT 1 FROM workspace_secrets AS own
                                WHERE own.workspace_id = holder.workspace_id AND own.key = secret.key)
            """;

    private static final String OUTDATED = HOLDERS + """
            SELECT workspace_id FROM holder JOIN above ON above.holder = workspace_id
            WHERE EXISTS (SELECT 1 FROM workspace_secrets AS own
                          WHERE own.workspace_id = holder.workspace_id AND own.updated_at >= holder.changed_at
                              AND NOT (holder.managed AND own.key = ANY ($1)))
                OR EXISTS (SELECT 1 FROM global_secrets AS secret WHERE %s)
            """.formatted(HAS_OLDER);

    private static final String ENSURE = """
            INSERT INTO secret_holders (workspace_id)
            SELECT id FROM workspaces WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM secret_holders WHERE workspace_id = $1)
            ON CONFLICT DO NOTHING
            """;

    /** One that is told late of an older version changes nothing. */
    private static final String TOLD = """
            UPDATE secret_holders
            SET told = greatest(told, $2), changed_at = CASE WHEN greatest(told, $2) < version THEN changed_at END,
                follower = coalesce($3, follower)
            WHERE workspace_id = $1
            """;

    /** Runs under the workspace's row lock. */
    private static final String CHANGED = """
            UPDATE secret_holders SET version = version + 1, changed_at = coalesce(changed_at, $2) WHERE workspace_id = $1
            """;

    /** Rows are locked in id order, so that two changes never wait for each other in a circle. */
    private static final String CHANGED_ALL = """
            WITH RECURSIVE reached (id) AS (
                SELECT unnest($3::uuid[])
                UNION
                SELECT below.id FROM workspaces AS below JOIN reached ON below.parent_id = reached.id
            ), affected AS MATERIALIZED (
                SELECT workspace_id FROM secret_holders AS holder
                WHERE NOT EXISTS (SELECT 1 FROM workspace_secrets AS own
                                  WHERE own.workspace_id = holder.workspace_id AND own.key = $1)
                  AND ($3::uuid[] IS NULL OR holder.workspace_id IN (SELECT id FROM reached))
                ORDER BY workspace_id FOR NO KEY UPDATE
            )
            UPDATE secret_holders AS holder SET version = version + 1, changed_at = coalesce(changed_at, $2)
            FROM affected WHERE affected.workspace_id = holder.workspace_id
            """;

    /**
     * Before values are read, and committed by then: a change meanwhile finds the row, or comes before what is read.
     */
    Future<Void> expect(UUID workspaceId) {
        return database.run(ENSURE, Tuple.of(workspaceId));
    }

    /** Running agents that have an older value of any secret, at most 1,000. */
    Future<Set<UUID>> outdated(Set<String> ofProviders) {
        return database.list(
                        OUTDATED,
                        Tuple.of((Object) ofProviders.toArray(String[]::new)),
                        row -> row.getUUID("workspace_id"))
                .map(Set::copyOf);
    }

    /**
     * @param version as it was where the values were read
     * @param follower the start that asks for new values by itself; null leaves that
     */
    static Future<Void> told(Sql transaction, UUID workspaceId, long version, @Nullable Integer follower) {
        return transaction.run(TOLD, Tuple.of(workspaceId, version, follower));
    }

    /** To be called with the workspace's row locked. */
    static Future<Void> changed(Sql transaction, UUID workspaceId, Instant now) {
        return transaction.run(CHANGED, Tuple.of(workspaceId, PgValues.time(now)));
    }

    /**
     * For all that have no value of their own for {@code key}.
     *
     * @param branches only these workspaces and those below them; null for all
     */
    static Future<Void> changedAll(Sql transaction, String key, @Nullable List<UUID> branches, Instant now) {
        return transaction.run(
                CHANGED_ALL,
                Tuple.of(key, PgValues.time(now), branches == null ? null : branches.toArray(UUID[]::new)));
    }
}
