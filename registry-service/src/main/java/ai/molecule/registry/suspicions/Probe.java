package ai.molecule.registry.suspicions;

import io.vertx.core.Future;
import java.util.UUID;

/** Asks an agent of ours for a sign of life. */
public interface Probe {

    /** Whether the agent of this workspace answered within the bound of a probe. Never fails. */
    Future<Boolean> answers(UUID workspaceId, String url);
}
