package ai.molecule.registry.workspaces;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** {@code POST /workspaces/:id/move}. */
public record MoveRoutes(MoveService moves) {

    /** {@code {"parent_id": id or null}}, with {@code ?dry_run=1} without doing it; both answer what changes by it. */
    public void move(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        boolean dryRun = isDryRun(ctx.request().getParam("dry_run"));
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

    private static boolean isDryRun(@Nullable String said) {
        return switch (said) {
            case null -> false;
            case "0", "false" -> false;
            case "", "1", "true" -> true;
            default -> throw ApiError.invalid("dry_run must be 1 or 0");
        };
    }
}
