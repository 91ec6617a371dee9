package ai.molecule.provisioner.docker;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.containers.Tar;
import ai.molecule.provisioner.docker.FileState.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.util.Optional;

/** What the engine says about a path in a container that lends its mounts, and files going in and out of it as archives. */
record Archives(Vertx vertx, Engine engine) {

    private static final int TAR_OVERHEAD = 64 * 1024;

    /** Of what a path names, entered from its root on; absent when something on the way is no folder. */
    Future<FileState> state(String id, Root root, FilePath path, int upTo) {
        if (upTo >= path.names().size()) {
            return stat(id, root, path);
        }
        return stat(id, root, new FilePath(path.names().subList(0, upTo)))
                .compose(state -> state.kind() == Kind.FOLDER
                        ? state(id, root, path, upTo + 1)
                        : Future.succeededFuture(FileState.ABSENT));
    }

    Future<FileState> stat(String id, Root root, FilePath path) {
        return engine.archive(HttpMethod.HEAD, at(id, root, path), null, Engine.JSON_MAX_BYTES)
                .compose(answer -> answer.require(404))
                .map(answer -> {
                    String header = answer.header(FileState.HEADER);
                    return answer.isMissing() || header == null ? FileState.ABSENT : FileState.of(header);
                });
    }

    Future<Optional<Buffer>> content(String id, Root root, FilePath file) {
        return engine.archive(HttpMethod.GET, at(id, root, file), null, WorkspaceFiles.FILE_MAX_BYTES + TAR_OVERHEAD)
                .compose(answer -> answer.require(404))
                .compose(answer -> answer.isMissing()
                        ? Future.succeededFuture(Optional.<Buffer>empty())
                        : vertx.executeBlocking(() -> Tar.firstFile(answer.body()), false))
                .recover(failure ->
                        Future.failedFuture(failure instanceof EngineAnswer.TooLarge ? Pieces.tooLarge() : failure));
    }

    Future<Void> extract(String id, Tar tar) {
        String path = "/containers/%s/archive?path=%s".formatted(id, Engine.encode(MountsLender.ROOTS));
        return engine.archive(HttpMethod.PUT, path, tar.finish(), Engine.JSON_MAX_BYTES)
                .compose(EngineAnswer::require)
                .recover(failure -> Future.failedFuture(
                        String.valueOf(failure.getMessage()).contains("read-only") ? readOnly() : failure))
                .mapEmpty();
    }

    /** Of a folder that a person lends for reading only. */
    static ApiError readOnly() {
        return ApiError.invalid("workspace_dir is lent read_only");
    }

    private static String at(String id, Root root, FilePath path) {
        return "/containers/%s/archive?path=%s"
                .formatted(id, Engine.encode(MountsLender.ROOTS + "/" + below(root, path)));
    }

    static String below(Root root, FilePath path) {
        return path.isRoot() ? MountsLender.nameOf(root) : MountsLender.nameOf(root) + "/" + path;
    }

    /** Paused, to be read as it comes; empty when it is gone meanwhile. */
    Future<Optional<HttpClientResponse>> open(String id, Root root, FilePath file) {
        return engine.open(at(id, root, file));
    }
}
