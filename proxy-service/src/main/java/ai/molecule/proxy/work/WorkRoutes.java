package ai.molecule.proxy.work;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.directory.OrgChartCache;
import ai.molecule.common.http.AccessLog;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.NamedTenant;
import ai.molecule.common.tracing.TraceHeaders;
import ai.molecule.proxy.models.DollarLimit;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** {@code /work}, as docs/wire/work.md has it. */
public final class WorkRoutes {

    private static final int LISTED = 50;
    private static final int LISTED_MAX = 200;

    private final Works work;
    private final Guards guards;
    private final OrgChartCache charts;

    public WorkRoutes(Works work, Guards guards, OrgChartCache charts) {
        this.work = work;
        this.guards = guards;
        this.charts = charts;
    }

    /** {@code {"title", "to"[, "brief", "limit", "due", "tools"]}} → 201 the work. */
    public void begin(RoutingContext ctx) {
        var wanted = NewWork.of(JsonBody.of(ctx, NewWork.COMPLAINT), UUID.randomUUID());
        Answers.json(
                ctx,
                201,
                guards.actsAt(ctx, wanted.to())
                        .compose(may -> work.begin(
                                wanted,
                                Caller.of(ctx).credential(),
                                TraceHeaders.isRecorded(AccessLog.traceparentOf(ctx)))));
    }

    /** {@code ?after=<id>&limit=50&state=<state>}: an array, newest first, at most 200. People of branches are shown what was asked of agents there. */
    public void list(RoutingContext ctx) {
        String after = ctx.request().getParam("after");
        String limit = ctx.request().getParam("limit", String.valueOf(LISTED));
        if (!limit.matches("\\d{1,4}") || Integer.parseInt(limit) == 0) {
            throw ApiError.invalid("limit must be a positive integer");
        }
        UUID cursor = after == null || after.isEmpty()
                ? null
                : Ids.find(after).orElseThrow(() -> ApiError.invalid("after must be the id of a work"));
        String state = ctx.request().getParam("state");
        if (state != null && !PieceOfWork.STATES.contains(state)) {
            throw ApiError.invalid("state must be needs_you, working, done, stopped or failed");
        }
        int rows = Math.min(LISTED_MAX, Integer.parseInt(limit));
        Answers.json(
                ctx,
                charts.shownTo(Caller.of(ctx), ctx.request().getHeader(NamedTenant.HEADER))
                        .compose(shown -> work.list(state, cursor, rows, shown.orElse(null))));
    }

    /** One with its tree, for administrators whole, and of it the part of an agent that has one, or of the agents of somebody's branches. */
    public void show(RoutingContext ctx) {
        var id = Ids.find(ctx.pathParam("id")).orElse(null);
        Answers.json(
                ctx,
                guards.check(Guard.ADMIN, ctx)
                        .map(administrator -> Optional.<Set<UUID>>empty())
                        .recover(refused -> id == null ? Future.failedFuture(refused) : part(ctx, id, refused))
                        .compose(reader ->
                                id == null ? Future.failedFuture(Works.unknown()) : work.get(id, reader.orElse(null))));
    }

    /** {@code {"limit": dollars or null}} → the work: what was stopped for want of money goes on. */
    public void limit(RoutingContext ctx) {
        var id = Ids.find(ctx.pathParam("id")).orElseThrow(Works::unknown);
        var body = JsonBody.of(ctx, NewWork.COMPLAINT);
        if (!body.has(DollarLimit.FIELD)) {
            throw body.bad();
        }
        var dollars = DollarLimit.of(body);
        Answers.json(ctx, mayLimit(ctx, id).compose(may -> work.limit(id, dollars)));
    }

    /** Of a branch: whoever may act at the agent that was asked. To all others there is no such work. */
    private Future<?> mayLimit(RoutingContext ctx, UUID id) {
        return Caller.of(ctx).isAdministrator()
                ? Future.succeededFuture()
                : work.askedOf(id)
                        .compose(asked -> guards.actsAt(ctx, asked))
                        .recover(refused -> Future.failedFuture(
                                refused instanceof ApiError error && error.kind() == ApiError.Kind.NOT_FOUND
                                        ? Works.unknown()
                                        : refused));
    }

    /** Whoever of those that ask, or that somebody of a branch may look at, has a part in it. */
    private Future<Optional<Set<UUID>>> part(RoutingContext ctx, UUID id, Throwable refused) {
        return guards.whose(Bearer.of(ctx.request()))
                .compose(Caller::refuseSuspended)
                .compose(caller -> {
                    var person = caller.person();
                    if (person != null && !person.branches().isEmpty()) {
                        return charts.shownTo(caller)
                                .map(Optional::orElseThrow)
                                .compose(shown -> partOf(id, shown, Works.unknown()));
                    }
                    var workspace = caller.workspaceId();
                    return workspace == null ? Future.failedFuture(refused) : partOf(id, Set.of(workspace), refused);
                });
    }

    private Future<Optional<Set<UUID>>> partOf(UUID id, Set<UUID> readers, Throwable refused) {
        return work.takesPart(id, readers)
                .compose(takesPart ->
                        takesPart ? Future.succeededFuture(Optional.of(readers)) : Future.failedFuture(refused));
    }
}
