package ai.molecule.events.log;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.NamedTenant;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code GET /events} and {@code GET /events/:workspaceId}: the recorded events, newest first. People of branches are shown those of what is in them. */
public record LogRoutes(LogService log, OrgChartCache charts) {

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
        var wanted = charts.shownTo(Caller.of(ctx), ctx.request().getHeader(NamedTenant.HEADER))
                .map(shown -> shown.map(page::within).orElse(page))
                .map(narrowed -> {
                    var within = narrowed.within();
                    if (workspaceId != null && within != null && !within.contains(workspaceId)) {
                        throw ApiError.notFound("workspace not found");
                    }
                    return narrowed;
                });
        Answers.json(ctx, wanted.compose(log::page).map(events -> Answers.array(events, LoggedEvent::toJson)));
    }

    private static UUID workspaceOf(RoutingContext ctx) {
        return Ids.find(ctx.pathParam("workspaceId")).orElseThrow(() -> ApiError.invalid("invalid workspace ID"));
    }
}
