package ai.molecule.registry.lifecycle;

import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import java.util.UUID;

/**
 * What is wanted of a workspace from now on, with the change of status that goes with it.
 *
 * @param incarnation the start that is wanted
 * @param forgetUrl whether its agent is about to be stopped, so that nobody should dial where it was
 */
public record Intent(
        UUID workspaceId, Desired desired, int incarnation, String runtime, boolean forgetUrl, StatusChange change) {}
