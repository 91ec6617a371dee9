package ai.molecule.registry.discovery;

import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where a workspace is, as far as discovery needs it.
 *
 * @param url where the platform reaches it; empty when unknown
 * @param internalUrl where other agents reach it; null when the provisioner recorded none
 * @param branchVersion the newest change of who may talk to it
 * @param trusted false for a stranger that nobody admitted, and for one that a person cut off
 * @param tenant of a root; null for none, and for all others
 * @param circle whose members are its siblings: its parent, or its tenant's; null for a root without one
 */
public record Location(
        UUID id,
        @Nullable UUID parentId,
        String name,
        WorkspaceStatus status,
        String runtime,
        String url,
        @Nullable String internalUrl,
        long branchVersion,
        boolean trusted,
        @Nullable String tenant,
        @Nullable UUID circle) {}
