package ai.molecule.provisioner.backend;

import ai.molecule.common.ApiError;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** No folders, because there is nothing that agents run in. Writing fails with UNAVAILABLE. */
final class NoFiles implements WorkspaceFiles {

    @Override
    public Future<Usage> usage(UUID workspaceId) {
        return Future.succeededFuture(new Usage(0, 0));
    }

    @Override
    public Future<List<Entry>> list(UUID workspaceId, Root root, FilePath folder, int depth) {
        return Future.succeededFuture(List.of());
    }

    @Override
    public Future<Optional<Buffer>> read(UUID workspaceId, Root root, FilePath file) {
        return Future.succeededFuture(Optional.empty());
    }

    @Override
    public Future<Optional<Content>> open(UUID workspaceId, Root root, FilePath file) {
        return Future.succeededFuture(Optional.empty());
    }

    @Override
    public Future<Void> write(UUID workspaceId, Root root, Map<FilePath, Buffer> files) {
        return unavailable();
    }

    @Override
    public Future<Void> putFile(UUID workspaceId, Root root, FilePath target, Path source) {
        return unavailable();
    }

    @Override
    public Future<Void> putFolder(UUID workspaceId, Root root, FilePath target, Path source) {
        return unavailable();
    }

    @Override
    public Future<Boolean> delete(UUID workspaceId, Root root, FilePath path) {
        return unavailable();
    }

    private static <T> Future<T> unavailable() {
        return Future.failedFuture(ApiError.unavailable("provisioner not available"));
    }
}
