package ai.molecule.registry.lifecycle;

import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is wanted of a workspace from now on, with the change of status that goes with it.
 *
 * @param incarnation the start that is wanted
 * @param configRuntime what its config names now, where that was read and is followed; else null
 * @param forgetUrl whether its agent is about to be stopped, so that nobody should dial where it was
 */
public record Intent(
        UUID workspaceId,
        Desired desired,
        int incarnation,
        String runtime,
        @Nullable String configRuntime,
        boolean forgetUrl,
        StatusChange change) {}
