package ai.molecule.provisioner.docker;

import ai.molecule.common.bus.registry.ManagedWorkspace;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Where the folders of a workspace are: in its volumes, save for the one that a person lends it. */
record Folders(Containers containers, Names names, Volumes volumes) {

    /** What an agent sees. */
    static JsonArray ofAgent(ManagedWorkspace workspace) {
        var mounts = new JsonArray();
        Arrays.stream(Root.values())
                .map(root -> lent(workspace, root)
                        .orElseGet(() -> volume(workspace.id(), root).put("Target", Names.folder(root))))
                .forEach(mounts::add);
        if (Sessions.haveVolume(workspace)) {
            mounts.add(Sessions.ofAgent(workspace.id()));
        }
        return mounts;
    }

    static boolean isLent(JsonArray mounts) {
        return mounts.stream()
                .anyMatch(mount -> ((JsonObject) mount).getString("Type").equals("bind"));
    }

    private static Optional<JsonObject> lent(ManagedWorkspace workspace, Root root) {
        return root == Root.WORKSPACE && workspace.worksInLentFolder()
                ? Optional.of(bind(
                                workspace.workspaceDir(),
                                workspace.workspaceAccess().equals("read_only"))
                        .put("Target", Names.folder(root)))
                : Optional.empty();
    }

    /** The same for containers that work on files, below {@link MountsLender#ROOTS}; volumes that are missing are made. */
    Future<JsonArray> ofTools(UUID workspaceId, Collection<Root> roots) {
        return lentTo(workspaceId, roots)
                .compose(lent -> Future.all(roots.stream()
                                .filter(root -> root != Root.WORKSPACE || lent.isEmpty())
                                .map(root -> volumes.create(workspaceId, root))
                                .toList())
                        .map(made -> new JsonArray(roots.stream()
                                .map(root -> lent.filter(folder -> root == Root.WORKSPACE)
                                        .orElseGet(() -> volume(workspaceId, root)
                                                .put("VolumeOptions", new JsonObject().put("NoCopy", true)))
                                        .put("Target", MountsLender.ROOTS + "/" + MountsLender.nameOf(root)))
                                .toList())));
    }

    /** As its container has it; without a container only its volumes are known. */
    private Future<Optional<JsonObject>> lentTo(UUID workspaceId, Collection<Root> roots) {
        return roots.contains(Root.WORKSPACE)
                ? containers
                        .inspect(Names.container(workspaceId))
                        .map(found -> found.filter(container -> names.isOurs(
                                        container.getJsonObject("Config").getJsonObject("Labels"), workspaceId))
                                .flatMap(Folders::lentTo))
                : Future.succeededFuture(Optional.empty());
    }

    private static Optional<JsonObject> lentTo(JsonObject container) {
        return container.getJsonArray("Mounts", new JsonArray()).stream()
                .map(JsonObject.class::cast)
                .filter(mount -> mount.getString("Type", "").equals("bind")
                        && Names.folder(Root.WORKSPACE).equals(mount.getString("Destination")))
                .findFirst()
                .map(mount -> bind(mount.getString("Source"), !mount.getBoolean("RW", false)));
    }

    private static JsonObject volume(UUID workspaceId, Root root) {
        return new JsonObject().put("Type", "volume").put("Source", Names.volume(workspaceId, root));
    }

    private static JsonObject bind(@Nullable String source, boolean readOnly) {
        return new JsonObject().put("Type", "bind").put("Source", source).put("ReadOnly", readOnly);
    }
}
