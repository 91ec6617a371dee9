package ai.molecule.events.log;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code GET /events} and {@code GET /events/:workspaceId}: the recorded events, newest first. */
public record LogRoutes(LogService log) {

    /** Of all workspaces. */
    public void all(RoutingContext ctx) {
        answer(ctx, null);
    }

    /** Of the workspace in the path. */
    public void ofWorkspace(RoutingContext ctx) {
        answer(ctx, workspaceOf(ctx));
    }

    private void answer(RoutingContext ctx, @Nullable UUID workspaceId) {
        var page = LogPage.of(workspaceId, ctx.request()::getParam);
        Answers.json(ctx, log.page(page).map(events -> Answers.array(events, LoggedEvent::toJson)));
    }

    private static UUID workspaceOf(RoutingContext ctx) {
        return Ids.find(ctx.pathParam("workspaceId")).orElseThrow(() -> ApiError.invalid("invalid workspace ID"));
    }
}
