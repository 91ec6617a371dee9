package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import ai.molecule.common.workspaces.WorkspaceStatus;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Creates workspaces by the rules of {@code POST /workspaces}, all or none, in one transaction with their events. Called by the
 * import of organisations and bundles, and by expand. Issues no token: a managed agent gets one with its start, an external one when
 * it first registers.
 *
 * <p>Idempotent by the ids, which the caller chooses: repeated after a time-out it answers what is there and changes nothing. Fails
 * with INVALID for more than {@link #MAX}, for a broken rule (the text names the workspace) and for a parent that neither exists
 * nor comes earlier in the list; with CONFLICT when some of the ids are taken and others are not.
 *
 * @param workspaces parents before their children; listed in this order by {@code GET /workspaces}
 * @param expanded the workspace whose team they are: told by its event {@code WORKSPACE_EXPANDED}, after theirs; null for none
 * @param tenant whose the roots among them are; null for nobody's
 */
public record CreateWorkspaces(
        List<Item> workspaces,
        @Nullable UUID expanded,
        @Nullable String tenant) {

    /** So many workspaces at once. */
    public static final int MAX = 1_000;

    /** A thousand rows with their memories and events take about a second; the rest is for a busy database. */
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    public static final Contract<CreateWorkspaces, Created> CONTRACT =
            new Contract<>("registry.create-workspaces", CreateWorkspaces.class, Created.class, DEADLINE);

    /** Roots of nobody's. */
    public CreateWorkspaces(List<Item> workspaces, @Nullable UUID expanded) {
        this(workspaces, expanded, null);
    }

    public CreateWorkspaces(List<Item> workspaces) {
        this(workspaces, null, null);
    }

    /**
     * One workspace.
     *
     * @param x where it stands on the canvas, in absolute coordinates; its event says where that is from its parent's place
     * @param memories at most 500, stored like the {@code initial_memories} of {@code POST /workspaces}
     * @param secrets at most 100 values by key
     * @param sourceBundleId of the bundle it is made from, told in its event
     * @param agentCard what its agent was last known as; the agent's own replaces it when it registers. Null for none
     * @param start false: it is {@code paused} and wanted so, until a resume of it, or of one above it, starts it. Of no meaning for an external one
     */
    public record Item(
            UUID id,
            @Nullable UUID parentId,
            String name,
            @Nullable String role,
            Agent agent,
            double x,
            double y,
            List<Memory> memories,
            Map<String, String> secrets,
            @Nullable String sourceBundleId,
            @Nullable JsonNode agentCard,
            boolean start) {

        /** One of whose agent nothing is known yet. */
        public Item(
                UUID id,
                @Nullable UUID parentId,
                String name,
                @Nullable String role,
                Agent agent,
                double x,
                double y,
                List<Memory> memories,
                Map<String, String> secrets,
                @Nullable String sourceBundleId,
                boolean start) {
            this(id, parentId, name, role, agent, x, y, memories, secrets, sourceBundleId, null, start);
        }

        /** The same, to be started or not. */
        public Item starting(boolean wanted) {
            return new Item(
                    id, parentId, name, role, agent, x, y, memories, secrets, sourceBundleId, agentCard, wanted);
        }

        /** Without the values of the secrets: a request may end up in a log. */
        @Override
        public String toString() {
            return "Item[id=%s, name=%s, secrets=%s]".formatted(id, name, secrets.keySet());
        }
    }

    /**
     * What runs in it.
     *
     * @param runtime null means langgraph
     * @param tier 0 means 3
     * @param external whether the agent runs elsewhere; then {@code url}, where given, is where, and it is online at once
     * @param workspaceAccess null means none
     * @param budgetLimit in US cents
     * @param maxConcurrentTasks anything below 1 means 1
     */
    public record Agent(
            @Nullable String runtime,
            @Nullable String model,
            int tier,
            @Nullable String template,
            boolean external,
            @Nullable String url,
            @Nullable String workspaceDir,
            @Nullable String workspaceAccess,
            @Nullable Long budgetLimit,
            int maxConcurrentTasks) {

        /** One that the platform runs, with neither template nor folder of its own. */
        public static Agent managed(@Nullable String runtime, @Nullable String model, int tier) {
            return new Agent(runtime, model, tier, null, false, null, null, null, null, 1);
        }
    }

    /** @param scope LOCAL, TEAM or GLOBAL in any case; null means LOCAL */
    public record Memory(String content, @Nullable String scope) {}

    /** One per item, in their order. */
    public record Created(List<Entry> workspaces) {}

    public record Entry(UUID id, WorkspaceStatus status) {}
}
