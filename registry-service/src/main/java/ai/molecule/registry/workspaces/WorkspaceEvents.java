package ai.molecule.registry.workspaces;

import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.RecordedEvent;
import ai.molecule.registry.workspaces.Workspace.Place;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The structural events: who came, moved and changed. Each names the workspace, its role, parent and status, so that the org
 * chart of any moment can be rebuilt from the log alone (decision 26).
 */
public final class WorkspaceEvents {

    private WorkspaceEvents() {}

    /** What every structural event says of its workspace. */
    public static ObjectNode node(String name, @Nullable String role, @Nullable UUID parentId, WorkspaceStatus status) {
        return Json.object()
                .put("name", name)
                .put("role", role)
                .put("parent_id", parentId == null ? null : parentId.toString())
                .put("status", status.wire());
    }

    /**
     * First that there is one more: a canvas makes a node of nothing else. Then what it became at once.
     *
     * @param parentPlace where its parent stands; that of a root is the canvas itself, at 0, 0
     */
    static List<RecordedEvent> created(NewWorkspace workspace, Place parentPlace) {
        var provisioning = provisioning(workspace, parentPlace);
        return switch (workspace.initialStatus()) {
            case ONLINE -> List.of(provisioning, new RecordedEvent("WORKSPACE_ONLINE", external(workspace)));
            case AWAITING_AGENT ->
                List.of(provisioning, new RecordedEvent("WORKSPACE_AWAITING_AGENT", external(workspace)));
            case PAUSED ->
                List.of(provisioning, new RecordedEvent("WORKSPACE_PAUSED", node(workspace, WorkspaceStatus.PAUSED)));
            default -> List.of(provisioning);
        };
    }

    private static RecordedEvent provisioning(NewWorkspace workspace, Place parentPlace) {
        var payload = node(workspace, WorkspaceStatus.PROVISIONING)
                .put("tier", workspace.tier())
                .put("runtime", workspace.runtime());
        if (workspace.parentId() == null || !workspace.place().undecided()) {
            payload.set("x", Json.number(workspace.place().x() - parentPlace.x()));
            payload.set("y", Json.number(workspace.place().y() - parentPlace.y()));
        }
        if (workspace.sourceBundleId() != null) {
            payload.put("source_bundle_id", workspace.sourceBundleId());
        }
        return new RecordedEvent("WORKSPACE_PROVISIONING", payload);
    }

    private static ObjectNode external(NewWorkspace workspace) {
        return node(workspace, workspace.initialStatus()).put("external", true);
    }

    private static ObjectNode node(NewWorkspace workspace, WorkspaceStatus status) {
        return node(workspace.name(), workspace.role(), workspace.parentId(), status);
    }

    static RecordedEvent expanded(List<NewWorkspace> team) {
        var payload = Json.object();
        var children = payload.putArray("children");
        team.forEach(child -> children.addObject()
                .put("id", child.id().toString())
                .put("name", child.name())
                .put("role", child.role()));
        return new RecordedEvent("WORKSPACE_EXPANDED", payload);
    }

    /** @param after the workspace as the patch leaves it */
    static RecordedEvent updated(ObjectNode changes, Workspace after) {
        var payload = node(after.name(), after.role(), after.parentId(), after.status());
        payload.set("changed", changes);
        return new RecordedEvent("WORKSPACE_UPDATED", payload);
    }

    static RecordedEvent moved(@Nullable UUID oldParentId, Workspace after) {
        var payload = node(after.name(), after.role(), after.parentId(), after.status())
                .put("old_parent_id", oldParentId == null ? null : oldParentId.toString())
                .put(
                        "new_parent_id",
                        after.parentId() == null ? null : after.parentId().toString());
        return new RecordedEvent("WORKSPACE_MOVED", payload);
    }
}
