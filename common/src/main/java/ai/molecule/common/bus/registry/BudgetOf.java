package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a workspace may spend in a month (UTC) and what it says that it spent. Called by the proxy before a model is asked, cached for at
 * most 2 s and dropped on {@link ai.molecule.common.bus.hints.WorkspaceChanged}. Reads only, so it may be repeated. Fails with
 * NOT_FOUND for an unknown or removed workspace.
 */
public record BudgetOf(UUID workspaceId) {

    public static final Contract<BudgetOf, Standing> CONTRACT =
            Contract.reading("registry.budget-of", BudgetOf.class, Standing.class);

    /**
     * In US cents.
     *
     * @param limitCents null when there is none
     * @param reportedCents of this month, as the agent's heartbeats say
     * @param teams those it belongs to, the nearest first
     */
    public record Standing(@Nullable Long limitCents, long reportedCents, List<Team> teams) {

        /** Of nobody's team. */
        public Standing(@Nullable Long limitCents, long reportedCents) {
            this(limitCents, reportedCents, List.of());
        }
    }

    /**
     * An inner node of the org chart, with all below it; or a tenant, by its scope.
     *
     * @param limitCents null when it has none
     * @param period {@code month}, {@code day} or {@code all}, in UTC
     * @param tenant what it is called, of a tenant; null of others
     */
    public record Team(
            UUID id,
            @Nullable Long limitCents,
            String period,
            @Nullable String tenant) {

        /** Of the org chart. */
        public Team(UUID id, @Nullable Long limitCents, String period) {
            this(id, limitCents, period, null);
        }
    }
}
