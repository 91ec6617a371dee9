package ai.molecule.registry.budgets;

import ai.molecule.registry.lifecycle.Changed;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What {@link BudgetService} needs from persistence. Removed workspaces are not found. */
public interface BudgetStore {

    /** A budget as a change left it, and the workspace with it. */
    record Limited(Budget budget, Changed workspace) {}

    Future<Optional<Budget>> find(UUID workspaceId);

    Future<Optional<Limited>> limit(UUID workspaceId, @Nullable Long cents, Instant now);
}
