package ai.molecule.proxy.work;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.AccessLog;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.tracing.TraceHeaders;
import ai.molecule.proxy.models.DollarLimit;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.UUID;

/** {@code /work}, as docs/wire/work.md has it. */
public final class WorkRoutes {

    private static final int LISTED = 50;
    private static final int LISTED_MAX = 200;

    private final Works work;
    private final Guards guards;

    public WorkRoutes(Works work, Guards guards) {
        this.work = work;
        this.guards = guards;
    }

    /** {@code {"title", "to"[, "brief", "limit", "due", "tools"]}} → 201 the work. */
    public void begin(RoutingContext ctx) {
        var wanted = NewWork.of(JsonBody.of(ctx, NewWork.COMPLAINT), UUID.randomUUID());
        Answers.json(
                ctx,
                201,
                work.begin(wanted, Caller.of(ctx).credential(), TraceHeaders.isRecorded(AccessLog.traceparentOf(ctx))));
    }

    /** {@code ?after=<id>&limit=50&state=<state>}: an array, newest first, at most 200. */
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
        Answers.json(ctx, work.list(state, cursor, Math.min(LISTED_MAX, Integer.parseInt(limit))));
    }

    /** One with its tree, for administrators whole, and of it the part of an agent that has one. */
    public void show(RoutingContext ctx) {
        var id = Ids.find(ctx.pathParam("id")).orElse(null);
        Answers.json(
                ctx,
                guards.check(Guard.ADMIN, ctx)
                        .map(administrator -> Optional.<UUID>empty())
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
        Answers.json(ctx, work.limit(id, DollarLimit.of(body)));
    }

    /** The agent that asks, if it has a part in it. */
    private Future<Optional<UUID>> part(RoutingContext ctx, UUID id, Throwable refused) {
        return guards.whose(Bearer.of(ctx.request()))
                .compose(Caller::refuseSuspended)
                .compose(caller -> {
                    var workspace = caller.workspaceId();
                    return workspace == null
                            ? Future.failedFuture(refused)
                            : work.takesPart(id, workspace)
                                    .compose(takesPart -> takesPart
                                            ? Future.succeededFuture(Optional.of(workspace))
                                            : Future.failedFuture(refused));
                });
    }
}
