package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.List;
import java.util.UUID;

/**
 * Removes everything below a workspace, in one transaction with the events that tell it: {@code WORKSPACE_REMOVED} of each, and {@code
 * WORKSPACE_COLLAPSED} of the workspace itself. Tokens are revoked as by a DELETE. Called by the provisioner; repeated it finds
 * nothing below and tells so again. Fails with NOT_FOUND {@code workspace not found}, and with FORBIDDEN when a branch asks for it where the
 * organisation quarantined somebody below.
 *
 * @param ofBranch asked for by somebody who does not rule the organisation; false where it is not said
 */
public record CollapseWorkspace(UUID workspaceId, boolean ofBranch) {

    public static final Contract<CollapseWorkspace, Collapsed> CONTRACT =
            Contract.of("registry.collapse-workspace", CollapseWorkspace.class, Collapsed.class);

    /**
     * @param children the names of those that were directly below it
     * @param removed everybody who was removed
     */
    public record Collapsed(List<String> children, List<UUID> removed) {}
}
