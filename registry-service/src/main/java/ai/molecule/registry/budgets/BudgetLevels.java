package ai.molecule.registry.budgets;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.proxy.ModelSpend;
import ai.molecule.common.bus.proxy.TeamSpend;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A reconciler that tells ({@code BUDGET_LEVEL}) when a workspace has spent 80 or 100 percent of its month's budget, and when no more: a
 * higher limit, another month. What counts is the larger of what its agent says and what the model door metered. Of a team's limit the
 * same ({@code LIMIT_LEVEL}), and of a tenant's budget, for as long as the proxy says what was spent.
 */
public record BudgetLevels(PgBudgetLevels store, Bus bus, Clock clock) {

    /** 100,000 workspaces, the most that an organisation may have unless its settings say otherwise. */
    private static final int PAGES_MAX = 100;

    private record Spends(List<ModelSpend.One> workspaces, boolean complete) {}

    /** One look at everybody with a budget; how many levels were told. */
    public Future<Integer> run() {
        return page(null, 1, 0).compose(told -> tenants().map(tenants -> told + tenants));
    }

    private Future<Integer> page(@Nullable UUID after, int nth, int before) {
        return store.candidates(after, ModelSpend.WORKSPACES_MAX).compose(ids -> {
            if (ids.isEmpty()) {
                return Future.succeededFuture(before);
            }
            var today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
            var month = today.withDayOfMonth(1);
            return spends(ids, month)
                    .compose(spends -> store.tell(ids, month, spends.workspaces, spends.complete))
                    .compose(told -> teams(ids, today).map(teams -> told + teams))
                    .compose(told -> ids.size() < ModelSpend.WORKSPACES_MAX || nth == PAGES_MAX
                            ? Future.succeededFuture(before + told)
                            : page(ids.getLast(), nth + 1, before + told));
        });
    }

    private Future<Spends> spends(List<UUID> ids, LocalDate month) {
        return bus.call(ModelSpend.CONTRACT, new ModelSpend(ids, month))
                .map(spent -> new Spends(spent.workspaces(), true))
                .otherwise(away -> new Spends(List.of(), false));
    }

    private Future<Integer> tenants() {
        return store.tenants(LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC))
                .compose(tenants -> tenants.isEmpty()
                        ? Future.succeededFuture(0)
                        : bus.call(TeamSpend.CONTRACT, new TeamSpend(tenants))
                                .transform(spent -> spent.failed()
                                        ? Future.succeededFuture(0) // as of teams
                                        : store.tellTenants(
                                                tenants.stream()
                                                        .map(TeamSpend.Team::id)
                                                        .toList(),
                                                spent.result().teams())));
    }

    private Future<Integer> teams(List<UUID> ids, LocalDate today) {
        return store.teams(ids, today).compose(teams -> {
            if (teams.isEmpty()) {
                return Future.succeededFuture(0);
            }
            return bus.call(TeamSpend.CONTRACT, new TeamSpend(teams))
                    .transform(spent -> spent.failed()
                            ? Future.succeededFuture(0) // the proxy is away, and nobody knows
                            : store.tellTeams(
                                    teams.stream().map(TeamSpend.Team::id).toList(),
                                    spent.result().teams()));
        });
    }
}
