package ai.molecule.registry.budgets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.ModelSpend;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.registry.lifecycle.Announcements;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;

/**
 * {@code /workspaces/:id/budget}. Both answer {@code {"budget_limit", "monthly_spend", "budget_remaining"}}; spent is what counts, the larger
 * of what the agent says and what the model door metered.
 */
public record BudgetRoutes(PgBudgetStore store, Announcements announcements, Bus bus, Clock clock) {

    public void get(RoutingContext ctx) {
        UUID id = PathIds.workspace(ctx);
        Answers.json(
                ctx,
                store.find(id)
                        .map(found -> found.orElseThrow(BudgetRoutes::unknown))
                        .compose(budget -> metered(id, budget))
                        .map(Budget::toJson));
    }

    /** {@code {"budget_limit": cents or null, "team_limit": cents or null, "team_period"}}, one of them at least; 403 for somebody of a branch where the organisation set that limit. Before the answer the proxies are told to ask anew whether the workspace can pay. */
    public void patch(RoutingContext ctx) {
        UUID id = PathIds.workspace(ctx);
        var body = JsonBody.of(ctx, "invalid request body");
        boolean own = body.has(Budget.FIELD);
        boolean team = body.has(Budget.TEAM_LIMIT);
        if (!own && !team && !body.has(Budget.TEAM_PERIOD)) {
            throw ApiError.invalid("budget_limit field is required");
        }
        var change = new PgBudgetStore.Change(
                own,
                Budget.limitOf(body, Budget.FIELD),
                team,
                Budget.limitOf(body, Budget.TEAM_LIMIT),
                Budget.periodOf(body),
                Caller.of(ctx).isOfBranchesOnly());
        Answers.json(
                ctx,
                store.limit(id, change, Caller.of(ctx).credential(), clock.instant())
                        .map(found -> found.orElseThrow(BudgetRoutes::unknown))
                        .onSuccess(limited -> announcements.changed(List.of(limited.workspace())))
                        .compose(limited -> metered(id, limited.budget()))
                        .map(Budget::toJson));
    }

    /** Without a proxy it is what the agent says. */
    private Future<Budget> metered(UUID id, Budget budget) {
        var month = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC).withDayOfMonth(1);
        return bus.call(ModelSpend.CONTRACT, new ModelSpend(List.of(id), month))
                .map(spent -> spent.workspaces().stream()
                        .mapToLong(ModelSpend.One::cents)
                        .max()
                        .orElse(0))
                .otherwise(0L)
                .map(budget::spentAtLeast);
    }

    private static ApiError unknown() {
        return ApiError.notFound("workspace not found");
    }
}
