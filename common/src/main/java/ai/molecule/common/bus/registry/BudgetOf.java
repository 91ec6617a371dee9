package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a workspace may spend in a month (UTC) and what it says that it spent. Called by the proxy before a model is asked, cached for at
 * most 2 s and dropped on {@link ai.molecule.common.bus.hints.WorkspaceChanged}. Reads only, so it may be repeated. Fails with
 * NOT_FOUND for an unknown or removed workspace.
 */
public record BudgetOf(UUID workspaceId) {

    public static final Contract<BudgetOf, Standing> CONTRACT =
            Contract.of("registry.budget-of", BudgetOf.class, Standing.class);

    /**
     * In US cents.
     *
     * @param limitCents null when there is none
     * @param reportedCents of this month, as the agent's heartbeats say
     */
    public record Standing(@Nullable Long limitCents, long reportedCents) {}
}
