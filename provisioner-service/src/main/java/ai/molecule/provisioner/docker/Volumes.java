package ai.molecule.provisioner.docker;

import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.UUID;

/** The volumes of a workspace, one for each of its folders. */
record Volumes(Engine engine, Names names) {

    /** Makes those that are missing, with our labels; one of that name that is not ours is left alone and fails. */
    Future<Void> create(UUID workspaceId) {
        return Future.all(Arrays.stream(Root.values())
                        .map(root -> create(workspaceId, root))
                        .toList())
                .mapEmpty();
    }

    Future<Void> create(UUID workspaceId, Root root) {
        var volume =
                new JsonObject().put("Name", Names.volume(workspaceId, root)).put("Labels", names.labels(workspaceId));
        return engine.post("/volumes/create", volume)
                .compose(EngineAnswer::require)
                .compose(created -> names.isOurs(
                                created.object().getJsonObject("Labels", new JsonObject()), workspaceId)
                        ? Future.succeededFuture()
                        : Future.failedFuture(new EngineAnswer.Refused(
                                409, "volume %s is not this platform's".formatted(Names.volume(workspaceId, root)))));
    }

    /** Deletes all that are ours. */
    Future<Void> delete(UUID workspaceId) {
        return Future.all(Arrays.stream(Root.values())
                        .map(root -> delete(workspaceId, "/volumes/" + Names.volume(workspaceId, root)))
                        .toList())
                .mapEmpty();
    }

    private Future<Void> delete(UUID workspaceId, String path) {
        return engine.get(path).compose(found -> {
            if (found.isMissing()) {
                return Future.succeededFuture();
            }
            var labels = found.isDone() ? found.object().getJsonObject("Labels") : null;
            return labels != null && names.isOurs(labels, workspaceId)
                    ? engine.delete(path).compose(gone -> gone.require(404)).mapEmpty()
                    : found.require().mapEmpty();
        });
    }
}
