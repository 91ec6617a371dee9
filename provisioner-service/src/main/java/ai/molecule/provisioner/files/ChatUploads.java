package ai.molecule.provisioner.files;

import ai.molecule.common.ApiError;
import ai.molecule.provisioner.backend.FilePath;
import ai.molecule.provisioner.backend.FilesQuota;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts what arrived with a chat where its agent finds it. All or nothing. */
record ChatUploads(FileService files) {

    private static final Logger LOGGER = LoggerFactory.getLogger(ChatUploads.class);

    /** @param uri names the file to the agent and to downloads */
    record Stored(Upload upload, FilePath path) {

        String uri() {
            return "workspace:/workspace/" + path;
        }
    }

    /** Whether there is a place for anything at all, before it is received. */
    Future<Void> requireWritable(UUID workspaceId) {
        return files.requireWritable(workspaceId);
    }

    /** In the order they came. Fails with INTERNAL {@code failed to stage files in workspace}. */
    Future<List<Stored>> store(UUID workspaceId, List<Upload> uploads) {
        List<Stored> stored = new ArrayList<>();
        long bytes = uploads.stream().mapToLong(Upload::size).sum();
        Future<Void> all = files.requireRoom(workspaceId, bytes, uploads.size());
        for (var upload : uploads) {
            var name = UUID.randomUUID().toString().replace("-", "") + "-" + upload.name();
            var path = FilesQuota.UPLOADS.resolve(FilePath.of(name));
            all = all.compose(before -> files.put(workspaceId, new AgentPath(Root.WORKSPACE, path), upload.file()))
                    .onSuccess(put -> stored.add(new Stored(upload, path)));
        }
        return all.map(stored)
                .recover(failure -> undo(workspaceId, stored).compose(undone -> {
                    if (failure instanceof ApiError) {
                        return Future.failedFuture(failure);
                    }
                    LOGGER.atWarn()
                            .setCause(failure)
                            .addKeyValue("workspaceId", workspaceId)
                            .log("chat files could not be stored");
                    return Future.failedFuture(ApiError.internal("failed to stage files in workspace"));
                }));
    }

    private Future<?> undo(UUID workspaceId, List<Stored> stored) {
        return Future.join(stored.stream()
                        .map(each -> files.delete(workspaceId, new AgentPath(Root.WORKSPACE, each.path())))
                        .toList())
                .otherwiseEmpty();
    }
}
