package ai.molecule.proxy.delegations;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.auth.Role;
import ai.molecule.common.http.AccessLog;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.RuledTools;
import ai.molecule.common.json.Json;
import ai.molecule.proxy.delegations.DelegationService.Accepted;
import ai.molecule.proxy.models.DollarLimit;
import ai.molecule.proxy.passports.PassportBook;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code POST /workspaces/:id/delegate} and {@code /workspaces/:id/delegations}, as docs/wire/proxy.md has them. */
public final class DelegationRoutes {

    private static final String STATUS_COMPLAINT = "status must be 'completed' or 'failed'";

    private final DelegationService delegations;
    private final Guards guards;

    public DelegationRoutes(DelegationService delegations, Guards guards) {
        this.delegations = delegations;
        this.guards = guards;
    }

    /**
     * The path names the source and the body its target. A body without one, from a caller that names another workspace as itself,
     * means the path's workspace as the target (decision 10). Either way the source's own token counts.
     */
    public void delegate(RoutingContext ctx) {
        var caller = callerOfTarget(ctx);
        var source = caller == null ? Ids.find(ctx.pathParam("id")).orElse(null) : caller;
        Answers.json(
                ctx,
                202,
                guards.workspace(Bearer.of(ctx.request()), source, Role.OPERATOR)
                        .compose(Caller::refuseUnadmitted)
                        .compose(proven -> wanted(ctx, caller))
                        .map(wanted -> RuledTools.isUnjudged(ctx) ? wanted.toBeJudged() : wanted)
                        .compose(wanted -> delegations.delegate(wanted).map(accepted -> answer(wanted, accepted))));
    }

    public void list(RoutingContext ctx) {
        Answers.json(ctx, delegations.list(workspaceOf(ctx)).map(DelegationList::of));
    }

    /** One by itself, with all that its target said. */
    public void show(RoutingContext ctx) {
        Answers.json(ctx, delegations.find(workspaceOf(ctx), idOf(ctx.pathParam("delegation_id"))));
    }

    public void record(RoutingContext ctx) {
        var mirrored = ReportedDelegation.of(workspaceOf(ctx), JsonBody.of(ctx, "invalid request body"));
        Answers.json(
                ctx,
                202,
                delegations
                        .record(mirrored)
                        .map(done -> Json.object()
                                .put("delegation_id", mirrored.delegationId())
                                .put("status", "recorded")));
    }

    public void update(RoutingContext ctx) {
        var body = JsonBody.of(ctx, STATUS_COMPLAINT);
        String status = body.requiredText("status");
        String id = ctx.pathParam("delegation_id");
        Answers.json(
                ctx,
                delegations
                        .report(workspaceOf(ctx), idOf(id), outcome(body, status))
                        .map(done -> Json.object().put("status", status).put("delegation_id", id)));
    }

    /** {@code {"limit": dollars or null}}, by its source: what was stopped for want of money goes on. */
    public void limit(RoutingContext ctx) {
        String id = idOf(ctx.pathParam("delegation_id"));
        var body = JsonBody.of(ctx, NewDelegation.COMPLAINT);
        if (!body.has(DollarLimit.FIELD)) {
            throw body.bad();
        }
        var limit = DollarLimit.of(body);
        Answers.json(
                ctx,
                delegations
                        .limit(workspaceOf(ctx), id, limit)
                        .map(done -> Json.object().put("delegation_id", id).put("limit", limit)));
    }

    private static Outcome outcome(JsonBody body, String status) {
        return switch (status) {
            case "completed" ->
                Outcome.completed(body.text("response_preview", "")).reported();
            case "failed" -> Outcome.failed(body.text("error", "")).reported();
            default -> throw body.bad();
        };
    }

    private static String idOf(String id) {
        if (id.length() > ReportedDelegation.ID_MAX_CHARS || id.indexOf('\0') >= 0) {
            throw ApiError.invalid("invalid delegation ID");
        }
        return id;
    }

    /** Null for the usual form. */
    private static @Nullable UUID callerOfTarget(RoutingContext ctx) {
        var caller = Ids.find(ctx.request().getHeader("X-Workspace-ID")).orElse(null);
        var path = Ids.find(ctx.pathParam("id")).orElse(null);
        var body = ctx.body().buffer();
        if (caller == null || path == null || caller.equals(path) || body == null) {
            return null;
        }
        try {
            var target = Json.parse(body.getBytes()).path("target_id");
            return target.isMissingNode() || target.isNull() || target.asText().isEmpty() ? caller : null;
        } catch (IOException malformed) {
            throw ApiError.invalid(NewDelegation.COMPLAINT); // it does not say whose token to ask for
        }
    }

    private Future<NewDelegation> wanted(RoutingContext ctx, @Nullable UUID caller) {
        var body = JsonBody.of(ctx, NewDelegation.COMPLAINT);
        String failed = body.text("again");
        if (failed != null) {
            return delegations.again(caller == null ? workspaceOf(ctx) : caller, idOf(failed));
        }
        String passport =
                PassportBook.shown(ctx.request().getHeader(PassportBook.HEADER)).orElse(null);
        return Future.succeededFuture(
                caller == null
                        ? NewDelegation.of(
                                workspaceOf(ctx), body.text("target_id"), body, AccessLog.traceparentOf(ctx), passport)
                        : NewDelegation.of(caller, ctx.pathParam("id"), body, AccessLog.traceparentOf(ctx), passport));
    }

    private static ObjectNode answer(NewDelegation wanted, Accepted accepted) {
        var answer = Json.object()
                .put("delegation_id", accepted.delegationId())
                .put("status", accepted.status())
                .put("target_id", wanted.target().toString());
        return accepted.repeated() ? answer.put("idempotent_hit", true) : answer;
    }

    private static UUID workspaceOf(RoutingContext ctx) {
        return Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.invalid("invalid workspace ID"));
    }
}
