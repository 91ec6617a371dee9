package ai.molecule.registry.lifecycle;

import ai.molecule.common.auth.Caller;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.registry.lifecycle.LifecycleService.ConfirmationRequired;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;

/** {@code DELETE /workspaces/:id}. */
public record RemovalRoutes(LifecycleService lifecycle) {

    /** {@code ?confirm=true&purge=true} → 200, also for an unknown id; 409 with the children when it must be confirmed. */
    public void remove(RoutingContext ctx) {
        boolean purge = flag(ctx, "purge");
        lifecycle
                .remove(
                        PathIds.workspace(ctx),
                        flag(ctx, "confirm"),
                        purge,
                        Caller.of(ctx).isOfBranchesOnly())
                .onSuccess(below -> Answers.json(ctx, Future.succeededFuture(removed(below, purge))))
                .onFailure(failure -> refuse(ctx, failure));
    }

    private static ObjectNode removed(int below, boolean purge) {
        return Json.object().put("status", purge ? "purged" : "removed").put("cascade_deleted", below);
    }

    private static void refuse(RoutingContext ctx, Throwable failure) {
        if (failure instanceof ConfirmationRequired unconfirmed) {
            Answers.json(ctx, 409, Future.succeededFuture(confirmation(unconfirmed)));
        } else {
            ctx.fail(failure);
        }
    }

    private static ObjectNode confirmation(ConfirmationRequired unconfirmed) {
        var body = Json.object()
                .put("status", "confirmation_required")
                .put("message", "This workspace has sub-workspaces. Delete with ?confirm=true to cascade delete.");
        var children = body.putArray("children");
        unconfirmed
                .children()
                .forEach(child ->
                        children.addObject().put("id", child.id().toString()).put("name", child.name()));
        return body.put("children_count", unconfirmed.children().size());
    }

    private static boolean flag(RoutingContext ctx, String name) {
        return "true".equals(ctx.request().getParam(name));
    }
}
