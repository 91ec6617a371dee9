package ai.molecule.registry.workspaces;

import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.lifecycle.RecordedEvent;
import com.fasterxml.jackson.databind.node.ObjectNode;
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

    static RecordedEvent created(NewWorkspace workspace) {
        var status = workspace.initialStatus();
        var payload = node(workspace.name(), workspace.role(), workspace.parentId(), status);
        if (workspace.external()) {
            payload.put("external", true);
        }
        return switch (status) {
            case ONLINE -> new RecordedEvent("WORKSPACE_ONLINE", payload);
            case AWAITING_AGENT -> new RecordedEvent("WORKSPACE_AWAITING_AGENT", payload);
            default ->
                new RecordedEvent(
                        "WORKSPACE_PROVISIONING",
                        payload.put("tier", workspace.tier()).put("runtime", workspace.runtime()));
        };
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
