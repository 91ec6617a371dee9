package ai.molecule.registry.approvals;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A request as it stands.
 *
 * @param status {@code pending}, {@code approved} or {@code denied}
 * @param decidedBy null while it is pending; {@code auto-expired} when nobody did in time
 */
public record Approval(
        UUID id,
        String taskId,
        String action,
        String reason,
        String status,
        @Nullable String decidedBy,
        @Nullable Instant decidedAt,
        Instant createdAt) {

    /** A pending one, with whose it is. */
    public record Pending(UUID workspaceId, String workspaceName, Approval approval) {

        /** {@code {"id", "workspace_id", "workspace_name", "action", "reason", "status", "created_at"}}. */
        ObjectNode toJson() {
            return Json.object()
                    .put("id", approval.id.toString())
                    .put("workspace_id", workspaceId.toString())
                    .put("workspace_name", workspaceName)
                    .put("action", approval.action)
                    .put("reason", approval.reason)
                    .put("status", approval.status)
                    .put("created_at", Json.time(approval.createdAt));
        }
    }

    /** {@code {"id", "task_id", "action", "reason", "status", "decided_by", "decided_at", "created_at"}}. */
    ObjectNode toJson() {
        return Json.object()
                .put("id", id.toString())
                .put("task_id", taskId)
                .put("action", action)
                .put("reason", reason)
                .put("status", status)
                .put("decided_by", decidedBy)
                .put("decided_at", Json.timeOrNull(decidedAt))
                .put("created_at", Json.time(createdAt));
    }
}
