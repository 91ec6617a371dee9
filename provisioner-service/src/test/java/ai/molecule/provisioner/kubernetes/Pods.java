package ai.molecule.provisioner.kubernetes;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.config.Env;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** What the tests of this folder start. */
final class Pods {

    static {
        Logger.getLogger("io.fabric8.mockwebserver").setLevel(Level.WARNING);
    }

    private Pods() {}

    static KubernetesSettings settings() {
        return KubernetesSettings.fromEnv(new Env(Map.of("MOLECULE_STOP_SECONDS", "1")));
    }

    static ManagedWorkspace workspace(UUID id, @Nullable UUID parentId) {
        return WorkspaceBuilder.workspace(id)
                .parent(parentId)
                .provisioningSince(Instant.now())
                .build();
    }

    static ManagedWorkspace lending(UUID id, String folder) {
        return WorkspaceBuilder.like(workspace(id, null))
                .lent(folder, "read_write")
                .build();
    }
}
