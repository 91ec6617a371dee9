package ai.molecule.provisioner.configs;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Map;

/** Gives an agent its configs before a start, when it has none. What is there stays, byte for byte. */
public final class InitialConfig {

    private final WorkspaceFiles files;

    public InitialConfig(WorkspaceFiles files) {
        this.files = files;
    }

    public Future<Void> prepare(ManagedWorkspace workspace) {
        return files.read(workspace.id(), Root.CONFIGS, ConfigFile.PATH)
                .compose(found -> found.isPresent()
                        ? Future.succeededFuture()
                        : files.write(
                                workspace.id(),
                                Root.CONFIGS,
                                Map.of(ConfigFile.PATH, Buffer.buffer(GeneratedConfig.of(workspace)))));
    }
}
