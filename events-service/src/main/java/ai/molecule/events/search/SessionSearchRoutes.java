package ai.molecule.events.search;

import ai.molecule.common.http.Answers;
import ai.molecule.common.http.PathIds;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /workspaces/:id/session-search?q=&limit=&before=}. */
public record SessionSearchRoutes(SessionSearchService search) {

    /** The {@code before} with which a search goes on behind what this one looked at; not there when that was all. */
    private static final String MORE = "X-Molecule-More";

    /** A bare array, newest first; empty for an unknown workspace. */
    public void find(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        Answers.json(
                ctx, search.find(SessionQuery.of(id, ctx.request()::getParam)).map(found -> {
                    var more = found.more();
                    if (more != null) {
                        ctx.response().putHeader(MORE, more.text());
                    }
                    return found.rows();
                }));
    }
}
