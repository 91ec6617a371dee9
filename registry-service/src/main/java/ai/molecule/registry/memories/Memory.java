package ai.molecule.registry.memories;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;

/** A memory as it is stored; {@code workspaceId} is its author. */
public record Memory(
        UUID id, UUID workspaceId, String content, MemoryScope scope, String namespace, Instant createdAt) {

    /** {@code {"id", "workspace_id", "content", "scope", "namespace", "created_at"}}. */
    ObjectNode toJson() {
        return Json.object()
                .put("id", id.toString())
                .put("workspace_id", workspaceId.toString())
                .put("content", shown())
                .put("scope", scope.name())
                .put("namespace", namespace)
                .put("created_at", Json.time(createdAt));
    }

    /** What comes from somewhere else in the organisation says so, in a frame that its text cannot imitate. */
    private String shown() {
        return scope == MemoryScope.GLOBAL
                ? "[MEMORY id=%s scope=GLOBAL from=%s]: %s".formatted(id, workspaceId, content)
                : content;
    }
}
