package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.UUID;

/**
 * Removes a workspace and everything below it, as a confirmed DELETE does: tokens are revoked, {@code WORKSPACE_REMOVED} tells of
 * each. Called by the provisioner to undo an import that a crash cut short. An unknown or removed workspace is no failure.
 */
public record RemoveWorkspace(UUID workspaceId) {

    public static final Contract<RemoveWorkspace, Removed> CONTRACT =
            Contract.of("registry.remove-workspace", RemoveWorkspace.class, Removed.class);

    /** @param removed everybody who was removed by this call */
    public record Removed(List<UUID> removed) {}
}
