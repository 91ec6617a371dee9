package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;
import java.util.UUID;

/**
 * A heartbeat showed that a workspace can take more work. Told by the registry for workspaces of a recent {@link CapacityWanted}
 * only, to one proxy; a lost one costs time, because the proxy looks by itself after a while.
 */
public record DrainQueue(UUID workspaceId) {

    public static final Hint<DrainQueue> HINT = new Hint<>("hint.drain-queue", DrainQueue.class);
}
