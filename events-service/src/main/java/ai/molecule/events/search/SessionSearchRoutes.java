package ai.molecule.events.search;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /workspaces/:id/session-search?q=&limit=}. */
public record SessionSearchRoutes(SessionSearchService search) {

    /** A bare array, newest first; empty for an unknown workspace. */
    public void find(RoutingContext ctx) {
        var id = Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.invalid("invalid workspace ID"));
        Answers.json(ctx, search.find(SessionQuery.of(id, ctx.request()::getParam)));
    }
}
