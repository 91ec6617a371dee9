package ai.molecule.registry.approvals;

import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.registry.http.PathIds;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** The HTTP face of {@link ApprovalService}. */
public final class ApprovalRoutes {

    private static final String COMPLAINT = "invalid request body";

    private final ApprovalService approvals;

    public ApprovalRoutes(ApprovalService approvals) {
        this.approvals = approvals;
    }

    /** {@code {"action"[, "task_id", "reason", "context"]}} → 201 {@code {"approval_id", "status":"pending"}}. */
    public void request(RoutingContext ctx) {
        UUID workspaceId = PathIds.workspace(ctx);
        var asked = NewApproval.of(JsonBody.of(ctx, COMPLAINT), UUID.randomUUID());
        Answers.json(ctx, 201, approvals.request(workspaceId, asked).map(stored -> state(asked.id(), "pending")));
    }

    /** An array, newest first, at most 50. */
    public void list(RoutingContext ctx) {
        Answers.json(ctx, approvals.list(PathIds.workspace(ctx)).map(found -> array(found, Approval::toJson)));
    }

    /** An array, newest first, at most 50, of all workspaces. */
    public void pending(RoutingContext ctx) {
        Answers.json(ctx, approvals.pending().map(found -> array(found, Approval.Pending::toJson)));
    }

    /** {@code {"decision"[, "decided_by"]}} → {@code {"approval_id", "status"}}. */
    public void decide(RoutingContext ctx) {
        UUID workspaceId = PathIds.workspace(ctx);
        var decision = Decision.of(JsonBody.of(ctx, COMPLAINT));
        UUID id = Ids.find(ctx.pathParam("approvalId")).orElseThrow(ApprovalService::unknown);
        Answers.json(ctx, approvals.decide(workspaceId, id, decision).map(done -> state(id, decision.status())));
    }

    private static ObjectNode state(UUID id, String status) {
        return Json.object().put("approval_id", id.toString()).put("status", status);
    }

    private static <T> ArrayNode array(List<T> found, Function<T, ObjectNode> toJson) {
        var array = Json.MAPPER.createArrayNode();
        found.forEach(one -> array.add(toJson.apply(one)));
        return array;
    }
}
