package ai.molecule.provisioner.docker;

import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.containers.Tar;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;

/**
 * Containers that are made, never started, and removed again: they lend their mounts, so that files of a workspace can be read
 * and written whether its agent runs or not. Their image is empty, so a link that leads out of a volume leads nowhere.
 */
final class MountsLender {

    /** The folder whose children are the workspace's roots. */
    static final String ROOTS = "/roots";

    private static final String EMPTY_IMAGE = "molecule/empty:1";

    private final Engine engine;
    private final Names names;
    private final Volumes volumes;

    MountsLender(Engine engine, Names names, Volumes volumes) {
        this.engine = engine;
        this.names = names;
        this.volumes = volumes;
    }

    static String nameOf(Root root) {
        return root.name().toLowerCase(Locale.ROOT);
    }

    /** Makes what is missing, lends it under the given container id, and takes it back however that ends. */
    <T> Future<T> lend(UUID workspaceId, Collection<Root> roots, Function<String, Future<T>> use) {
        return borrow(workspaceId, roots).compose(id -> use.apply(id).eventually(() -> giveBack(id)));
    }

    /** As {@link #lend}, for a use that ends later: whoever borrows gives back. */
    Future<String> borrow(UUID workspaceId, Collection<Root> roots) {
        return Future.all(roots.stream()
                        .map(root -> volumes.create(workspaceId, root))
                        .toList())
                .compose(made -> create(workspaceId, roots));
    }

    private Future<String> create(UUID workspaceId, Collection<Root> roots) {
        var container = new JsonObject()
                .put("Image", EMPTY_IMAGE)
                .put("Cmd", new JsonArray().add("never-started"))
                .put("Labels", names.labels(workspaceId).put(Names.ROLE, "files"))
                .put(
                        "HostConfig",
                        new JsonObject().put("NetworkMode", "none").put("Mounts", mounts(workspaceId, roots)));
        return engine.post("/containers/create", container)
                .compose(made -> made.isMissing()
                        ? makeImage().compose(image -> engine.post("/containers/create", container))
                        : Future.succeededFuture(made))
                .compose(EngineAnswer::require)
                .map(made -> made.object().getString("Id"));
    }

    static JsonArray mounts(UUID workspaceId, Collection<Root> roots) {
        return new JsonArray(roots.stream()
                .map(root -> new JsonObject()
                        .put("Type", "volume")
                        .put("Source", Names.volume(workspaceId, root))
                        .put("Target", ROOTS + "/" + nameOf(root))
                        .put("VolumeOptions", new JsonObject().put("NoCopy", true)))
                .toList());
    }

    private Future<EngineAnswer> makeImage() {
        var parts = List.of(EMPTY_IMAGE.split(":", 2));
        return engine.archive(
                        HttpMethod.POST,
                        "/images/create?fromSrc=-&repo=" + parts.getFirst() + "&tag=" + parts.getLast(),
                        Tar.empty(),
                        Engine.JSON_MAX_BYTES)
                .compose(EngineAnswer::require);
    }

    Future<EngineAnswer> giveBack(String id) {
        return engine.delete("/containers/" + id + "?force=true").compose(gone -> gone.require(404, 409));
    }
}
