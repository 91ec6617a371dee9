package ai.molecule.provisioner.kubernetes;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.common.bus.registry.ManagedWorkspace.Desired;
import ai.molecule.common.config.Env;
import ai.molecule.common.workspaces.WorkspaceStatus;
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
        return workspace(id, parentId, null, "none");
    }

    static ManagedWorkspace lending(UUID id, String folder) {
        return workspace(id, null, folder, "read_write");
    }

    private static ManagedWorkspace workspace(
            UUID id, @Nullable UUID parentId, @Nullable String folder, String access) {
        return new ManagedWorkspace(
                id,
                "worker",
                null,
                2,
                "echo",
                null,
                null,
                parentId,
                folder,
                access,
                WorkspaceStatus.PROVISIONING,
                Desired.RUNNING,
                1,
                Instant.now(),
                null,
                1);
    }
}
