package ai.molecule.events.inbox;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.NamedTenant;
import ai.molecule.common.json.Json;
import ai.molecule.events.log.LogPage;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;

/** {@code /inbox}: what waits for a person. */
public record InboxRoutes(InboxService inbox, OrgChartCache charts, Guards guards) {

    private static final long LIMIT_DEFAULT = 50;
    private static final long LIMIT_MAX = 200;

    /** With {@code ?since=}: what changed; without: what waits, a page of it after {@code ?after=}. */
    public void list(RoutingContext ctx) {
        Long limit = LogPage.number("limit", 1, ctx.request()::getParam);
        Long since = LogPage.number("since", 0, ctx.request()::getParam);
        Long after = LogPage.number("after", 0, ctx.request()::getParam);
        if (since != null && after != null) {
            throw ApiError.invalid("since and after exclude each other");
        }
        int rows = (int) Math.min(limit == null ? LIMIT_DEFAULT : limit, LIMIT_MAX);
        Answers.json(
                ctx,
                charts.shownTo(Caller.of(ctx), ctx.request().getHeader(NamedTenant.HEADER))
                        .map(shown -> shown.orElse(null))
                        .compose(within -> since == null
                                ? inbox.waiting(after == null ? 0 : after, rows, within)
                                : inbox.changed(since, rows, within)));
    }

    /** {@code {"status":"dismissed"}}. */
    public void dismiss(RoutingContext ctx) {
        var id = Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.notFound("not in the inbox"));
        Answers.json(
                ctx,
                mayDismiss(ctx, id)
                        .compose(may -> inbox.dismiss(id, Caller.of(ctx).credential()))
                        .map(done -> Json.object().put("status", "dismissed")));
    }

    /** Of a branch: whoever may act at the workspace that the row is of. To all others the row is not there. */
    private Future<?> mayDismiss(RoutingContext ctx, UUID id) {
        return Caller.of(ctx).rulesTheOrganisation() || Caller.of(ctx).kind() != Caller.Kind.PERSON
                ? Future.succeededFuture()
                : inbox.workspaceOf(id)
                        .compose(workspace -> guards.actsAt(ctx, workspace))
                        .recover(refused -> Future.failedFuture(
                                refused instanceof ApiError error && error.kind() == ApiError.Kind.NOT_FOUND
                                        ? ApiError.notFound("not in the inbox")
                                        : refused));
    }
}
