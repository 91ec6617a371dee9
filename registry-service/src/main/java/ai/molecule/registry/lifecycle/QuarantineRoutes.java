package ai.molecule.registry.lifecycle;

import ai.molecule.common.auth.Caller;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.UUID;

/** {@code /workspaces/:id/quarantine}. */
public record QuarantineRoutes(LifecycleService lifecycle) {

    /** {@code {"branch"}}, optional → {@code {"status":"quarantined","workspaces":[ids]}}, whom it newly concerns. */
    public void quarantine(RoutingContext ctx) {
        UUID id = PathIds.workspace(ctx);
        boolean branch = JsonBody.optional(ctx, "invalid request body").flag("branch", false);
        Answers.json(
                ctx,
                lifecycle
                        .quarantine(id, branch, Caller.of(ctx).isOfBranchesOnly())
                        .map(ids -> told("quarantined", ids)));
    }

    /** {@code ?branch=true} → {@code {"status":"released","workspaces":[ids]}}; they stay paused. 403 for somebody of a branch where the organisation did it. */
    public void release(RoutingContext ctx) {
        boolean branch = "true".equals(ctx.request().getParam("branch"));
        Answers.json(
                ctx,
                lifecycle
                        .release(PathIds.workspace(ctx), branch, Caller.of(ctx).isOfBranchesOnly())
                        .map(ids -> told("released", ids)));
    }

    private static ObjectNode told(String status, List<UUID> ids) {
        var body = Json.object().put("status", status);
        var workspaces = body.putArray("workspaces");
        ids.forEach(id -> workspaces.add(id.toString()));
        return body;
    }
}
