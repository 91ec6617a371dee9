package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;
import java.util.UUID;

/** The registry changed a workspace: drop what is cached about it. Published before the request that changed it is answered. */
public record WorkspaceChanged(UUID workspaceId, long version) {

    public static final Hint<WorkspaceChanged> HINT = new Hint<>("hint.workspace-changed", WorkspaceChanged.class);
}
