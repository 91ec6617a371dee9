package ai.molecule.registry.workspaces;

import ai.molecule.common.workspaces.WorkspaceStatus;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A workspace as it is stored.
 *
 * @param url where the platform reaches its agent; empty when unknown
 * @param agentCard JSON text
 * @param budgetLimit in cents
 * @param publicCard whether anybody may read its card, also without a credential
 * @param ownLogin whether its program has one, so that nobody meters what its models cost
 * @param tenant of a root; null for none, and for all others
 */
public record Workspace(
        UUID id,
        String name,
        @Nullable String role,
        int tier,
        WorkspaceStatus status,
        @Nullable String agentCard,
        String url,
        @Nullable UUID parentId,
        int maxConcurrentTasks,
        String runtime,
        @Nullable String workspaceDir,
        @Nullable Long budgetLimit,
        @Nullable Instant lastOutboundAt,
        boolean admitted,
        boolean quarantined,
        boolean publicCard,
        boolean ownLogin,
        @Nullable String tenant,
        Place place,
        Health health) {

    /** The runtime of agents that run somewhere else and are never started by the platform. */
    public static final String EXTERNAL = "external";

    /** Where it stands on the canvas, in absolute coordinates. */
    public record Place(double x, double y, boolean collapsed) {

        /** Nobody has said where yet: the canvas itself finds a place for what stands at exactly 0, 0. */
        boolean undecided() {
            return x == 0 && y == 0;
        }
    }

    /** What its last heartbeat said. */
    public record Health(
            double errorRate,
            String sampleError,
            int activeTasks,
            String currentTask,
            int uptimeSeconds,
            long monthlySpend) {}
}
