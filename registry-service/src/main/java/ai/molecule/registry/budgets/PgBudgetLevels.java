package ai.molecule.registry.budgets;

import ai.molecule.common.bus.proxy.ModelSpend;
import ai.molecule.common.bus.proxy.TeamSpend;
import ai.molecule.common.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The tables {@code budget_levels}, {@code team_levels} and {@code tenant_levels}: which level was last told of each workspace, of each as a team, and of each tenant. */
public record PgBudgetLevels(Database database) {

    private static final String CANDIDATES = """
            SELECT id FROM (
                SELECT id FROM workspaces WHERE budget_limit IS NOT NULL AND status <> 'removed'
                UNION SELECT id FROM workspaces WHERE team_limit IS NOT NULL AND status <> 'removed'
                UNION SELECT workspace_id FROM budget_levels WHERE percent > 0
                UNION SELECT workspace_id FROM team_levels WHERE percent > 0
            ) AS candidate
            WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT $2
            """;

    /**
     * A level and the event that tells it, in one statement; of two replicas that see the same one finds it told. Without the word of the
     * proxy a level may rise and never falls. As for teams, a limit that could not pay what was last asked for is used up.
     */
    private static final String TELL = """
            WITH spend AS (
                SELECT w.id, w.budget_limit, w.budget_limit::numeric * 10000 AS limit_micros, coalesce(model.refused, 0) AS refused,
                    greatest(coalesce((SELECT monthly_spend FROM heartbeats AS h WHERE h.workspace_id = w.id AND h.spend_month = $3), 0)::numeric
                        * 10000, coalesce(model.spent, 0)) AS spent
                FROM workspaces AS w
                    LEFT JOIN unnest($4::uuid[], $5::bigint[], $6::bigint[]) AS model (id, spent, refused) ON model.id = w.id
                WHERE w.id = ANY ($1::uuid[]) AND w.status <> 'removed'
            ), level AS (
                SELECT spend.*, CASE WHEN budget_limit IS NULL OR spent + refused = 0 THEN 0
                    WHEN spent >= limit_micros OR (refused > 0 AND spent + refused > limit_micros) THEN 100
                    WHEN spent * 10 >= limit_micros * 8 THEN 80
                    ELSE 0 END AS percent
                FROM spend
            ), changed AS (
                INSERT INTO budget_levels AS told (workspace_id, percent)
                SELECT id, percent FROM level
                WHERE percent > 0 OR EXISTS (SELECT 1 FROM budget_levels WHERE workspace_id = id AND budget_levels.percent > 0)
                ORDER BY id
                ON CONFLICT (workspace_id) DO UPDATE SET percent = excluded.percent
                WHERE told.percent <> excluded.percent AND ($2 OR excluded.percent > told.percent
                    OR (SELECT budget_limit FROM workspaces WHERE id = told.workspace_id) IS NULL)
                RETURNING workspace_id, percent
            )
            SELECT log.append('BUDGET_LEVEL', level.id, jsonb_build_object(
                'percent', changed.percent, 'budget_limit', level.budget_limit, 'monthly_spend', trunc(level.spent / 10000)::bigint))
            FROM changed JOIN level ON level.id = changed.workspace_id
            """;

    private static final String TEAMS = """
            SELECT id, team_period AS kind, CASE team_period WHEN 'day' THEN $2::date WHEN 'all' THEN date '1970-01-01' ELSE date_trunc('month', $2::date)::date END AS period
            FROM workspaces WHERE id = ANY ($1::uuid[]) AND status <> 'removed'
                AND (team_limit IS NOT NULL OR EXISTS (SELECT 1 FROM team_levels WHERE workspace_id = id AND percent > 0))
            """;

    /** As {@link #TELL}; a limit that could not pay what was last asked for is used up, though a little may be left. */
    private static final String TELL_TEAMS = """
            WITH spend AS (
                SELECT w.id, w.name, w.team_limit, coalesce(model.spent, 0) AS spent, coalesce(model.refused, 0) AS refused
                FROM workspaces AS w
                    LEFT JOIN unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS model (id, spent, refused) ON model.id = w.id
                WHERE w.id = ANY ($1::uuid[]) AND w.status <> 'removed'
            ), level AS (
                SELECT spend.*, CASE WHEN team_limit IS NULL OR spent + refused = 0 THEN 0
                    WHEN spent + refused > team_limit::numeric * 10000 OR spent >= team_limit::numeric * 10000 THEN 100
                    WHEN spent::numeric * 10 >= team_limit::numeric * 80000 THEN 80
                    ELSE 0 END AS percent
                FROM spend
            ), changed AS (
                INSERT INTO team_levels AS told (workspace_id, percent)
                SELECT id, percent FROM level
                WHERE percent > 0 OR EXISTS (SELECT 1 FROM team_levels WHERE workspace_id = id AND team_levels.percent > 0)
                ORDER BY id
                ON CONFLICT (workspace_id) DO UPDATE SET percent = excluded.percent WHERE told.percent <> excluded.percent
                RETURNING workspace_id, percent
            )
            SELECT log.append('LIMIT_LEVEL', level.id, jsonb_build_object('of', 'team', 'id', level.id, 'title', level.name,
                'percent', changed.percent, 'limit', trim_scale(level.team_limit / 100.0), 'spent', trim_scale(level.spent / 1000000.0)))
            FROM changed JOIN level ON level.id = changed.workspace_id
            """;

    /** A tenant is a team by its scope; there are no more budgets of tenants than may be asked for at once. */
    private static final String TENANTS = """
            SELECT md5('tenant:' || name)::uuid AS id, budget_period AS kind, CASE budget_period WHEN 'day' THEN $1::date
                WHEN 'all' THEN date '1970-01-01' ELSE date_trunc('month', $1::date)::date END AS period
            FROM tenants WHERE budget_limit IS NOT NULL OR EXISTS (SELECT 1 FROM tenant_levels AS told WHERE told.name = tenants.name AND percent > 0)
            ORDER BY name LIMIT 1000
            """;

    /**
     * As {@link #TELL_TEAMS}, at the oldest root of the tenant. Where that is another one now, it is over at the one before, which may be
     * somebody else's.
     */
    private static final String TELL_TENANTS = """
            WITH spend AS (
                SELECT tenants.name, scope.id, budget_limit, coalesce(model.spent, 0) AS spent, coalesce(model.refused, 0) AS refused,
                    (SELECT w.id FROM workspaces AS w WHERE w.tenant = tenants.name AND w.status <> 'removed' ORDER BY w.created_at, w.id LIMIT 1) AS root
                FROM tenants JOIN LATERAL (SELECT md5('tenant:' || tenants.name)::uuid AS id) AS scope ON true
                    LEFT JOIN unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS model (id, spent, refused) ON model.id = scope.id
                WHERE scope.id = ANY ($1::uuid[])
            ), level AS (
                SELECT spend.*, CASE WHEN budget_limit IS NULL OR root IS NULL OR spent + refused = 0 THEN 0
                    WHEN spent + refused > budget_limit::numeric * 10000 OR spent >= budget_limit::numeric * 10000 THEN 100
                    WHEN spent::numeric * 10 >= budget_limit::numeric * 80000 THEN 80
                    ELSE 0 END AS percent
                FROM spend
            ), before AS (
                SELECT name, root, percent FROM tenant_levels WHERE percent > 0
            ), changed AS (
                INSERT INTO tenant_levels AS told (name, root, percent)
                SELECT name, root, percent FROM level WHERE percent > 0 OR EXISTS (SELECT 1 FROM before WHERE before.name = level.name)
                ORDER BY name
                ON CONFLICT (name) DO UPDATE SET root = excluded.root, percent = excluded.percent
                WHERE told.percent <> excluded.percent OR told.root IS DISTINCT FROM excluded.root
                RETURNING name, root, percent
            ), telling AS (
                SELECT before.root AS place, level.*, 0 AS told FROM changed JOIN before USING (name) JOIN level USING (name)
                WHERE before.root IS DISTINCT FROM changed.root
                UNION ALL
                SELECT changed.root, level.*, changed.percent FROM changed JOIN level USING (name) LEFT JOIN before USING (name)
                WHERE changed.percent > 0 OR before.root = changed.root
            )
            SELECT log.append('LIMIT_LEVEL', place, jsonb_build_object('of', 'tenant', 'id', id, 'title', name,
                'percent', told, 'limit', trim_scale(budget_limit / 100.0), 'spent', trim_scale(spent / 1000000.0)))
            FROM telling AS tenant (place, name, id, budget_limit, spent, refused, root, percent, told)
            """;

    /** Workspaces with a budget of their own or as a team, and those of which a level was told, in id order. */
    Future<List<UUID>> candidates(@Nullable UUID after, int limit) {
        return database.list(CANDIDATES, Tuple.of(after, limit), row -> row.getUUID("id"));
    }

    /**
     * Tells the levels that are others now; how many.
     *
     * @param complete whether {@code models} is all that was spent at the model door
     */
    Future<Integer> tell(List<UUID> ids, LocalDate month, List<ModelSpend.One> models, boolean complete) {
        return database.query(
                        TELL,
                        Tuple.of(
                                ids.toArray(UUID[]::new),
                                complete,
                                month,
                                models.stream().map(ModelSpend.One::workspaceId).toArray(UUID[]::new),
                                models.stream().map(ModelSpend.One::spentMicros).toArray(Long[]::new),
                                models.stream().map(ModelSpend.One::refused).toArray(Long[]::new)))
                .map(rows -> rows.size());
    }

    /** Those of them that have a limit as a team, or had one, with the period it is for today. */
    Future<List<TeamSpend.Team>> teams(List<UUID> ids, LocalDate today) {
        return database.list(
                TEAMS,
                Tuple.of(ids.toArray(UUID[]::new), today),
                row -> new TeamSpend.Team(row.getUUID("id"), row.getString("kind"), row.getLocalDate("period")));
    }

    /** Those with a budget, and those of which a level was told, with the period it is for today. */
    Future<List<TeamSpend.Team>> tenants(LocalDate today) {
        return database.list(
                TENANTS,
                Tuple.of(today),
                row -> new TeamSpend.Team(row.getUUID("id"), row.getString("kind"), row.getLocalDate("period")));
    }

    /** As {@link #tellTeams}. */
    Future<Integer> tellTenants(List<UUID> ids, List<TeamSpend.One> spent) {
        return tell(TELL_TENANTS, ids, spent);
    }

    /** Tells the levels of these teams that are others now; how many. */
    Future<Integer> tellTeams(List<UUID> ids, List<TeamSpend.One> spent) {
        return tell(TELL_TEAMS, ids, spent);
    }

    private Future<Integer> tell(String statement, List<UUID> ids, List<TeamSpend.One> spent) {
        return database.query(
                        statement,
                        Tuple.of(
                                ids.toArray(UUID[]::new),
                                spent.stream().map(TeamSpend.One::id).toArray(UUID[]::new),
                                spent.stream().map(TeamSpend.One::spent).toArray(Long[]::new),
                                spent.stream().map(TeamSpend.One::refused).toArray(Long[]::new)))
                .map(rows -> rows.size());
    }
}
