package ai.molecule.events.search;

import ai.molecule.common.http.Answers;
import ai.molecule.common.http.PathIds;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /workspaces/:id/session-search?q=&limit=}. */
public record SessionSearchRoutes(SessionSearchService search) {

    /** A bare array, newest first; empty for an unknown workspace. */
    public void find(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        Answers.json(ctx, search.find(SessionQuery.of(id, ctx.request()::getParam)));
    }
}
