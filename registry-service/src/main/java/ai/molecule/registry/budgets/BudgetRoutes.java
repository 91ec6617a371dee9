package ai.molecule.registry.budgets;

import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.registry.http.PathIds;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;

/** The HTTP face of {@link BudgetService}. Both answer {@code {"budget_limit", "monthly_spend", "budget_remaining"}}. */
public final class BudgetRoutes {

    private final BudgetService budgets;

    public BudgetRoutes(BudgetService budgets) {
        this.budgets = budgets;
    }

    public void get(RoutingContext ctx) {
        Answers.json(ctx, budgets.get(PathIds.workspace(ctx)).map(Budget::toJson));
    }

    /** {@code {"budget_limit": cents or null}}. */
    public void patch(RoutingContext ctx) {
        UUID id = PathIds.workspace(ctx);
        var limit = Budget.limitOf(JsonBody.of(ctx, "invalid request body"));
        Answers.json(ctx, budgets.limit(id, limit).map(Budget::toJson));
    }
}
