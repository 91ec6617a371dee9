package ai.molecule.registry.budgets;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.db.Database;
import ai.molecule.common.db.Sql;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.lifecycle.PgTransitions;
import ai.molecule.registry.postgres.PgSpend;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.versions.PgChangedWith;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Budgets, in {@code workspaces} and what {@code heartbeats} say was spent. Removed workspaces are not found. */
public record PgBudgetStore(Database database) {

    /** A budget as a change left it, and the workspace with it. */
    public record Limited(Budget budget, Changed workspace) {}

    /**
     * What a change names.
     *
     * @param period null leaves it
     * @param ofBranch asked for by somebody who has a role for a branch only, whom a limit of the organisation bounds
     */
    public record Change(
            boolean setsOwn,
            @Nullable Long own,
            boolean setsTeam,
            @Nullable Long team,
            @Nullable String period,
            boolean ofBranch) {

        /** Of the workspace's own limit alone. */
        public static Change ofOwn(@Nullable Long cents, boolean ofBranch) {
            return new Change(true, cents, false, null, null, ofBranch);
        }
    }

    private static final String LIMITS = """
            SELECT budget_limit, team_limit, team_period, budget_limit_by_organisation, team_limit_by_organisation
            FROM workspaces WHERE id = $1 AND status <> 'removed' FOR NO KEY UPDATE
            """;

    /** Itself counts as one where somebody is below it, or it has a limit as one; the last is its tenant, by its scope. {@code distance} ends a circle, which cannot be. */
    private static final String TEAMS = """
            WITH RECURSIVE above AS (
                SELECT id, parent_id, tenant, tenant_scope, team_limit, team_period, 0 AS distance FROM workspaces WHERE id = $1
                UNION ALL
                SELECT w.id, w.parent_id, w.tenant, w.tenant_scope, w.team_limit, w.team_period, above.distance + 1
                FROM workspaces AS w JOIN above ON w.id = above.parent_id
                WHERE above.distance < 100
            )
            SELECT id, team_limit, team_period, distance, NULL AS called FROM above
            WHERE distance > 0 OR team_limit IS NOT NULL
                OR EXISTS (SELECT 1 FROM workspaces AS child WHERE child.parent_id = above.id AND child.status <> 'removed')
            UNION ALL
            SELECT tenant_scope, budget_limit, coalesce(budget_period, 'month'), 1000, above.tenant
            FROM above LEFT JOIN tenants ON tenants.name = above.tenant WHERE above.parent_id IS NULL AND above.tenant IS NOT NULL
            ORDER BY distance
            """;

    private static final String FIND = """
            SELECT w.budget_limit, w.team_limit, w.team_period, %s AS monthly_spend
            FROM workspaces AS w LEFT JOIN heartbeats AS h ON h.workspace_id = w.id
            WHERE w.id = $1 AND w.status <> 'removed'
            """.formatted(PgSpend.OF_THIS_MONTH);

    /** One row and no condition on its old limit: of two racing changes the later counts. A limit that is named is whose it was changed by. */
    private static final String LIMIT = """
            UPDATE workspaces
            SET budget_limit = CASE WHEN $4 THEN $2 ELSE budget_limit END, team_limit = CASE WHEN $5 THEN $6 ELSE team_limit END,
                team_period = coalesce($7, team_period),
                budget_limit_by_organisation = CASE WHEN $4 AND budget_limit IS DISTINCT FROM $2 OR $4 AND $8
                    THEN $8 AND $2::bigint IS NOT NULL ELSE budget_limit_by_organisation END,
                team_limit_by_organisation = CASE WHEN $5 AND team_limit IS DISTINCT FROM $6 OR $5 AND $8
                    THEN $8 AND $6::bigint IS NOT NULL ELSE team_limit_by_organisation END,
                version = version + 1, updated_at = $3
            WHERE id = $1 AND status <> 'removed'
            RETURNING budget_limit, team_limit, team_period, version, status,
                coalesce((SELECT %s FROM heartbeats AS h WHERE h.workspace_id = $1), 0) AS monthly_spend
            """.formatted(PgSpend.OF_THIS_MONTH);

    public Future<Optional<Budget>> find(UUID workspaceId) {
        return database.find(FIND, Tuple.of(workspaceId), PgBudgetStore::toBudget);
    }

    /** Whether it has a limit of its own that the organisation set. */
    public Future<Boolean> isOwnLimitOfOrganisation(UUID workspaceId) {
        return database.find(
                        "SELECT budget_limit_by_organisation FROM workspaces WHERE id = $1",
                        Tuple.of(workspaceId),
                        row -> row.getBoolean(0))
                .map(found -> found.orElse(false));
    }

    /** Serves {@link BudgetOf}. */
    public Future<BudgetOf.Standing> standing(BudgetOf question) {
        var teams = database.list(
                TEAMS,
                Tuple.of(question.workspaceId()),
                row -> new BudgetOf.Team(
                        row.getUUID("id"),
                        row.getLong("team_limit"),
                        row.getString("team_period"),
                        row.getString("called")));
        return find(question.workspaceId())
                .map(found -> found.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .compose(budget -> teams.map(above -> new BudgetOf.Standing(budget.limit(), budget.spend(), above)));
    }

    /** Only what is named is changed. */
    public Future<Optional<Limited>> limit(UUID workspaceId, Change change, String changedWith, Instant now) {
        return database.transaction(transaction -> PgChangedWith.say(transaction, changedWith)
                .compose(said -> limit(transaction, workspaceId, change, now)));
    }

    /** The same as part of a greater change. Fails with FORBIDDEN for a branch that would change what the organisation set. */
    public static Future<Optional<Limited>> limit(Sql transaction, UUID workspaceId, Change change, Instant now) {
        return change.ofBranch
                ? transaction.find(LIMITS, Tuple.of(workspaceId), row -> row).compose(found -> {
                    found.ifPresent(row -> refuseHeld(row, change));
                    return set(transaction, workspaceId, change, now);
                })
                : set(transaction, workspaceId, change, now);
    }

    private static void refuseHeld(Row row, Change change) {
        boolean own = change.setsOwn && !Objects.equals(change.own, row.getLong("budget_limit"));
        boolean team = (change.setsTeam && !Objects.equals(change.team, row.getLong("team_limit")))
                || (change.period != null && !change.period.equals(row.getString("team_period")));
        if (own && row.getBoolean("budget_limit_by_organisation")) {
            throw setByTheOrganisation(Budget.FIELD);
        }
        if (team && row.getBoolean("team_limit_by_organisation")) {
            throw setByTheOrganisation(Budget.TEAM_LIMIT);
        }
    }

    private static ApiError setByTheOrganisation(String field) {
        return ApiError.forbidden(
                "the organization set %s — ask an operator of the organization to change it".formatted(field));
    }

    private static Future<Optional<Limited>> set(Sql transaction, UUID workspaceId, Change change, Instant now) {
        return transaction.find(
                LIMIT,
                Tuple.tuple()
                        .addUUID(workspaceId)
                        .addLong(change.own)
                        .addOffsetDateTime(PgValues.time(now))
                        .addBoolean(change.setsOwn)
                        .addBoolean(change.setsTeam)
                        .addLong(change.team)
                        .addString(change.period)
                        .addBoolean(!change.ofBranch),
                row -> new Limited(toBudget(row), PgTransitions.toChanged(workspaceId, row)));
    }

    private static Budget toBudget(Row row) {
        return new Budget(
                row.getLong("budget_limit"),
                row.getLong("monthly_spend"),
                row.getLong("team_limit"),
                row.getString("team_period"));
    }
}
