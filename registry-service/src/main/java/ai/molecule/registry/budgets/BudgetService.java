package ai.molecule.registry.budgets;

import ai.molecule.common.ApiError;
import ai.molecule.registry.budgets.BudgetStore.Limited;
import ai.molecule.registry.lifecycle.Announcements;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rules about budgets. */
public final class BudgetService {

    private final BudgetStore store;
    private final Announcements announcements;
    private final Clock clock;

    public BudgetService(BudgetStore store, Announcements announcements, Clock clock) {
        this.store = store;
        this.announcements = announcements;
        this.clock = clock;
    }

    Future<Budget> get(UUID workspaceId) {
        return store.find(workspaceId).map(found -> found.orElseThrow(BudgetService::unknown));
    }

    /** When this completes the proxies have been told to ask anew whether the workspace can pay. */
    Future<Budget> limit(UUID workspaceId, @Nullable Long cents) {
        return store.limit(workspaceId, cents, clock.instant())
                .map(found -> found.orElseThrow(BudgetService::unknown))
                .onSuccess(limited -> announcements.changed(List.of(limited.workspace())))
                .map(Limited::budget);
    }

    private static ApiError unknown() {
        return ApiError.notFound("workspace not found");
    }
}
