package ai.molecule.proxy.models;

import io.vertx.core.Future;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Tuple;

/**
 * Tells ({@code LIMIT_LEVEL}) when a piece of work or a delegation has spent 80 percent of its limit or all that may be had, and when that
 * is over: more was allowed, it ended. Of two replicas that see the same one finds it told.
 */
final class PgLimitLevels {

    private static final String TELL = """
            WITH seen AS (
                SELECT 'work' AS kind, id, id::text AS name, workspace_id AS whose, title, asked_by, limit_usd, limit_told, ended_at IS NOT NULL AS over
                FROM works WHERE (limit_usd IS NOT NULL AND ended_at IS NULL) OR limit_told > 0
                UNION ALL
                SELECT 'delegation', id, delegation_id, target_id, left(task, 60), NULL, limit_usd, limit_told, status IN ('completed', 'failed')
                FROM delegations
                WHERE ((limit_usd IS NOT NULL AND status NOT IN ('completed', 'failed')) OR limit_told > 0) AND target_id IS NOT NULL
            ), level AS (
                SELECT seen.*, coalesce(b.spent, 0) AS spent, CASE
                    WHEN over OR limit_usd IS NULL THEN 0
                    WHEN coalesce(b.spent + coalesce(b.refused, 0), 0) > limit_usd * 1000000 OR b.spent = limit_usd * 1000000 THEN 100
                    WHEN coalesce(b.spent, 0) * 10 >= limit_usd * 8000000 THEN 80
                    ELSE 0 END AS percent
                FROM seen LEFT JOIN model_team_budgets AS b ON b.team_id = seen.id AND b.kind = seen.kind
            ), due AS (
                SELECT * FROM level WHERE percent <> limit_told ORDER BY kind, id LIMIT $1
            ), works_told AS (
                UPDATE works AS w SET limit_told = due.percent FROM due
                WHERE due.kind = 'work' AND w.id = due.id AND w.limit_told = due.limit_told
                RETURNING w.id
            ), delegations_told AS (
                UPDATE delegations AS d SET limit_told = due.percent FROM due
                WHERE due.kind = 'delegation' AND d.id = due.id AND d.limit_told = due.limit_told
                RETURNING d.id
            )
            SELECT log.append('LIMIT_LEVEL', whose, jsonb_build_object('of', kind, 'id', name, 'title', title, 'percent', percent,
                'limit', trim_scale(limit_usd), 'spent', trim_scale(spent / 1000000.0))
                || CASE WHEN asked_by IS NULL THEN '{}' ELSE jsonb_build_object('asked_by', asked_by) END)
            FROM due WHERE id IN (SELECT id FROM works_told UNION ALL SELECT id FROM delegations_told)
            """;

    private final Pool pool;

    PgLimitLevels(Pool pool) {
        this.pool = pool;
    }

    /** How many were told; at most {@code max}. */
    Future<Integer> tell(int max) {
        return pool.preparedQuery(TELL).execute(Tuple.of(max)).map(rows -> rows.size());
    }
}
