package ai.molecule.registry.hibernation;

import ai.molecule.common.ApiError;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.workspaces.Workspace;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * A workspace that may be put to sleep, as its row stands while nobody else can change it.
 *
 * @param provisioned whether our provisioner started what runs
 * @param asks how many approvals of it wait for a person
 */
record Sleeper(
        UUID id,
        WorkspaceStatus status,
        boolean managed,
        String runtime,
        boolean provisioned,
        int tier,
        int activeTasks,
        boolean busy,
        int asks) {

    /** Why it may not sleep; empty when it may. */
    Optional<ApiError> refusal(boolean force) {
        if (status != WorkspaceStatus.ONLINE && status != WorkspaceStatus.DEGRADED) {
            return Optional.of(notThere());
        }
        if (!managed || runtime.equals(Workspace.EXTERNAL) || !provisioned) {
            return Optional.of(ApiError.conflict("the platform does not run this agent, so it cannot wake it"));
        }
        if (force) {
            return Optional.empty();
        }
        if (activeTasks > 0 || busy) {
            return Optional.of(new ApiError(
                    ApiError.Kind.CONFLICT,
                    "workspace has active tasks; use ?force=true to terminate them",
                    Map.of("active_tasks", Math.max(1, activeTasks))));
        }
        return asks == 0
                ? Optional.empty()
                : Optional.of(new ApiError(
                        ApiError.Kind.CONFLICT,
                        "workspace waits for an approval; use ?force=true to put it to sleep all the same",
                        Map.of("pending_approvals", asks)));
    }

    static ApiError notThere() {
        return ApiError.notFound("workspace not found or not in a hibernatable state (must be online or degraded)");
    }
}
