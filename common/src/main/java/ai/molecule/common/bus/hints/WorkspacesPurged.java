package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;
import java.util.List;
import java.util.UUID;

/**
 * These workspaces were deleted for good and what is kept of them elsewhere shall go too. Published by registry-service after the
 * commit; where it is lost, it goes when its time is over.
 */
public record WorkspacesPurged(List<UUID> workspaceIds) {

    public static final Hint<WorkspacesPurged> HINT = new Hint<>("hint.workspaces-purged", WorkspacesPurged.class);
}
