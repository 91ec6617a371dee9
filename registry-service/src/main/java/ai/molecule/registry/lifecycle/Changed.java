package ai.molecule.registry.lifecycle;

import ai.molecule.common.workspaces.WorkspaceStatus;
import java.util.UUID;

/** A workspace as a committed change left it. */
public record Changed(UUID workspaceId, long version, WorkspaceStatus status) {}
