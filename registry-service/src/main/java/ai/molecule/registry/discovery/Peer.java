package ai.molecule.registry.discovery;

import ai.molecule.common.json.Json;
import ai.molecule.common.workspaces.WorkspaceStatus;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A workspace as those near it see it. */
public record Peer(
        UUID id,
        String name,
        @Nullable String role,
        int tier,
        WorkspaceStatus status,
        @Nullable String agentCard,
        String url,
        @Nullable UUID parentId,
        int activeTasks) {

    ObjectNode toJson() {
        var body = Json.object()
                .put("id", id.toString())
                .put("name", name)
                .put("role", role)
                .put("tier", tier)
                .put("status", status.wire());
        body.set("agent_card", Json.stored(agentCard));
        return body.put("url", url)
                .put("parent_id", parentId == null ? null : parentId.toString())
                .put("active_tasks", activeTasks);
    }
}
