package ai.molecule.provisioner.docker;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/** The volumes of a workspace, one for each of its folders. */
record Volumes(Engine engine, Names names) {

    /** Makes those that are missing, with our labels; one of that name that is not ours is left alone and fails. */
    Future<Void> create(ManagedWorkspace workspace) {
        return Future.all(Names.volumes(workspace.id()).stream()
                        .filter(name -> Sessions.haveVolume(workspace) || !name.equals(Names.sessions(workspace.id())))
                        .map(name -> create(workspace.id(), name))
                        .toList())
                .mapEmpty();
    }

    Future<Void> create(UUID workspaceId, Root root) {
        return create(workspaceId, Names.volume(workspaceId, root));
    }

    private Future<Void> create(UUID workspaceId, String name) {
        var volume = new JsonObject().put("Name", name).put("Labels", names.labels(workspaceId));
        return engine.post("/volumes/create", volume)
                .compose(EngineAnswer::require)
                .compose(
                        created -> names.isOurs(created.object().getJsonObject("Labels", new JsonObject()), workspaceId)
                                ? Future.succeededFuture()
                                : Future.failedFuture(new EngineAnswer.Refused(
                                        409, "volume %s is not this platform's".formatted(name))));
    }

    /** Whether there is one of that name, and ours. */
    Future<Boolean> isThere(UUID workspaceId, String name) {
        return engine.get("/volumes/" + name)
                .compose(found -> found.require(404))
                .map(found -> !found.isMissing() && names.isOurs(found.object().getJsonObject("Labels"), workspaceId));
    }

    /** The workspaces whose volumes there are, as their labels say. */
    Future<Set<String>> owners() {
        return engine.get("/volumes?filters=" + Engine.encode(names.everything().encode()))
                .compose(EngineAnswer::require)
                .map(answer -> {
                    var volumes = answer.object().getJsonArray("Volumes");
                    return (volumes == null ? new JsonArray() : volumes)
                            .stream()
                                    .map(volume -> ((JsonObject) volume)
                                            .getJsonObject("Labels", new JsonObject())
                                            .getString(Names.WORKSPACE, ""))
                                    .collect(Collectors.toSet());
                });
    }

    /** Deletes all that are ours. */
    Future<Void> delete(UUID workspaceId) {
        return Future.all(Names.volumes(workspaceId).stream()
                        .map(name -> delete(workspaceId, "/volumes/" + name))
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
