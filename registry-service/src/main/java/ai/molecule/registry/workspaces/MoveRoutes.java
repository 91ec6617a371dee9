package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.DryRun;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import io.vertx.ext.web.RoutingContext;

/** {@code POST /workspaces/:id/move}. */
public record MoveRoutes(MoveService moves) {

    /** {@code {"parent_id": id or null}}, with {@code ?dry_run=1} without doing it; both answer what changes by it. */
    public void move(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        boolean dryRun = DryRun.isAsked(ctx);
        var body = JsonBody.of(ctx, "invalid request body");
        if (!body.has("parent_id")) {
            throw ApiError.invalid("parent_id is required: the id of a workspace, or null for none");
        }
        String sent = body.text("parent_id");
        var parent = sent == null || sent.isEmpty()
                ? null
                : Ids.find(sent).orElseThrow(() -> ApiError.invalid("parent workspace not found"));
        var move = dryRun
                ? moves.preview(id, parent)
                : moves.move(id, parent, Caller.of(ctx).credential());
        Answers.json(ctx, move.map(changes -> changes.toJson(dryRun)));
    }
}
