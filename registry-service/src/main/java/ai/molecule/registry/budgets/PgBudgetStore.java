package ai.molecule.registry.budgets;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.BudgetOf;
import ai.molecule.common.db.Database;
import ai.molecule.registry.lifecycle.Changed;
import ai.molecule.registry.lifecycle.PgTransitions;
import ai.molecule.registry.postgres.PgValues;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Budgets, in {@code workspaces} and what {@code heartbeats} say was spent. Removed workspaces are not found. */
public final class PgBudgetStore {

    /** A budget as a change left it, and the workspace with it. */
    public record Limited(Budget budget, Changed workspace) {}

    private static final String FIND = """
            SELECT w.budget_limit, coalesce(h.monthly_spend, 0) AS monthly_spend
            FROM workspaces AS w LEFT JOIN heartbeats AS h ON h.workspace_id = w.id
            WHERE w.id = $1 AND w.status <> 'removed'
            """;

    /** One row and no condition on its old limit: of two racing changes the later counts. */
    private static final String LIMIT = """
            UPDATE workspaces SET budget_limit = $2, version = version + 1, updated_at = $3
            WHERE id = $1 AND status <> 'removed'
            RETURNING budget_limit, version, status,
                coalesce((SELECT monthly_spend FROM heartbeats WHERE workspace_id = $1), 0) AS monthly_spend
            """;

    private final Database database;

    public PgBudgetStore(Database database) {
        this.database = database;
    }

    public Future<Optional<Budget>> find(UUID workspaceId) {
        return database.find(FIND, Tuple.of(workspaceId), PgBudgetStore::toBudget);
    }

    /** Serves {@link BudgetOf}. */
    public Future<BudgetOf.Standing> standing(BudgetOf question) {
        return find(question.workspaceId())
                .map(found -> found.orElseThrow(() -> ApiError.notFound("workspace not found")))
                .map(budget -> new BudgetOf.Standing(budget.limit(), budget.spend()));
    }

    public Future<Optional<Limited>> limit(UUID workspaceId, @Nullable Long cents, Instant now) {
        return database.find(
                LIMIT,
                Tuple.of(workspaceId, cents, PgValues.time(now)),
                row -> new Limited(toBudget(row), PgTransitions.toChanged(workspaceId, row)));
    }

    private static Budget toBudget(Row row) {
        return new Budget(row.getLong("budget_limit"), row.getLong("monthly_spend"));
    }
}
