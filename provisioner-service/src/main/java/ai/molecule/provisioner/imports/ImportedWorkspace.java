package ai.molecule.provisioner.imports;

import ai.molecule.common.bus.registry.CreateWorkspaces;
import ai.molecule.provisioner.backend.FilePath;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A workspace to be created with what its agent is to find in its configs folder.
 *
 * @param configs files by path, made when they are written; empty for an external one
 * @param folders copied whole, by path
 */
public record ImportedWorkspace(
        CreateWorkspaces.Item item, Supplier<Map<FilePath, Buffer>> configs, Map<FilePath, Path> folders) {}
