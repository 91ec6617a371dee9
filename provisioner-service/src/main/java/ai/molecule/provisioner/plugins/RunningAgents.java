package ai.molecule.provisioner.plugins;

import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.instances.Instance;
import ai.molecule.provisioner.instances.InstanceStore;
import io.vertx.core.Future;
import java.util.Optional;
import java.util.UUID;

/** Which workspaces have an agent of ours that lives. */
public record RunningAgents(InstanceStore instances, Backend backend) {

    /** Fails when the engine or the database cannot be asked. */
    Future<Boolean> includes(UUID workspaceId) {
        return instances
                .find(workspaceId)
                .map(found -> found.map(Instance::process))
                .compose(process -> process.isEmpty()
                        ? Future.succeededFuture(false)
                        : backend.findAlive(workspaceId, process.get()).map(Optional::isPresent));
    }
}
