package ai.molecule.provisioner.backend;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.ListManaged;
import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.UUID;

/**
 * The workspaces whose agents the platform runs. Whoever registers an id by itself has a row and no folder here: nothing is ever
 * made for it, neither volume nor container, claim or pod, however it calls its runtime.
 */
public record OurWorkspaces(Bus bus) {

    private static final String EXTERNAL = "external";

    /** Empty for a workspace that is unknown, removed, or not ours. */
    public Future<Optional<ManagedWorkspace>> find(UUID workspaceId) {
        return bus.call(ListManaged.CONTRACT, ListManaged.one(workspaceId))
                .map(page -> page.workspaces().stream()
                        .filter(workspace -> workspace.desired() != Desired.REMOVED
                                && !workspace.runtime().equals(EXTERNAL))
                        .findFirst());
    }
}
