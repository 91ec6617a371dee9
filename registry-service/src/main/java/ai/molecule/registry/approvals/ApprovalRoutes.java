package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Behalf;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.bus.registry.CheckPassport;
import ai.molecule.common.config.Door;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.common.loops.LongPolls;
import ai.molecule.registry.approvals.Decision.Decider;
import ai.molecule.registry.approvals.PgApprovalStore.Page;
import ai.molecule.registry.passports.Passports;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The HTTP face of {@link ApprovalService}. */
public record ApprovalRoutes(
        ApprovalService approvals, AwaitedApprovals awaited, Passports passports, PlatformConfig platform) {

    private static final String PASSPORT = "X-Molecule-Passport";

    private static final String COMPLAINT = "invalid request body";

    private static final int LISTED_MAX = 50;

    /** {@code {"action"[, "task_id", "reason", "context", "expires_at"]}} → 201 {@code {"approval_id", "status":"pending"}}. */
    public void request(RoutingContext ctx) {
        UUID workspaceId = PathIds.workspace(ctx);
        var asked = NewApproval.of(
                JsonBody.of(ctx, COMPLAINT),
                UUID.randomUUID(),
                Caller.of(ctx).name().orElse(null));
        Answers.json(
                ctx,
                201,
                behalf(ctx, workspaceId)
                        .compose(behalf -> approvals.request(workspaceId, asked.on(behalf), Bearer.of(ctx.request())))
                        .map(stored -> state(asked.id(), "pending")));
    }

    /** Null without a passport of its own. */
    private Future<@Nullable Behalf> behalf(RoutingContext ctx, UUID workspaceId) {
        String shown = ctx.request().getHeader(PASSPORT);
        if (shown == null || shown.isBlank()) {
            return Future.succeededFuture();
        }
        return passports.check(new CheckPassport(workspaceId, shown)).map(checked -> {
            if (checked.standing() == CheckPassport.Standing.REVOKED) {
                throw ApiError.forbidden("the passport was revoked");
            }
            return checked.behalf().orElse(null);
        });
    }

    /** An array, newest first, at most 50. */
    public void list(RoutingContext ctx) {
        Answers.json(ctx, approvals.list(PathIds.workspace(ctx)).map(found -> Answers.array(found, Approval::toJson)));
    }

    /** {@code ?wait=<seconds>}: one as the list has it, with its {@code context}; while it is pending, held open until it is not, for at most 25 s. */
    public void get(RoutingContext ctx) {
        UUID workspaceId = PathIds.workspace(ctx);
        UUID id = Ids.find(ctx.pathParam("approvalId")).orElseThrow(AwaitedApprovals::unknown);
        var longest = LongPolls.patience(ctx.request().getParam("wait"));
        Promise<Void> gone = Promise.promise();
        ctx.addEndHandler(ended -> gone.tryComplete());
        Answers.json(ctx, awaited.get(workspaceId, id, longest, gone.future()).map(Approval.Whole::toJson));
    }

    /** {@code ?after=<id>&before=<id>}: an array of all workspaces' in the order they came, at most 50; to people of branches, of theirs. */
    public void pending(RoutingContext ctx) {
        var page = new Page(cursor(ctx, "after"), cursor(ctx, "before"), LISTED_MAX);
        Answers.json(
                ctx,
                approvals
                        .pending(page, Caller.of(ctx).branchesOnly())
                        .map(found -> Answers.array(found, Approval.Pending::toJson)));
    }

    /**
     * {@code {"decision"[, "decided_by", "grace_seconds", "digest", "shown"]}} → {@code {"approval_id", "status"[, "takes_effect_at"]}}, or {@code
     * {"approval_id", "status":"pending", "waits"}} where somebody else has to approve it, too.
     */
    public void decide(RoutingContext ctx) {
        UUID workspaceId = PathIds.workspace(ctx);
        var caller = Caller.of(ctx);
        var decision = Decision.of(JsonBody.of(ctx, COMPLAINT), caller.credential(), decider(caller));
        refuseOneself(ctx);
        UUID id = Ids.find(ctx.pathParam("approvalId")).orElseThrow(ApprovalService::unknown);
        Answers.json(ctx, approvals.decide(workspaceId, id, decision).map(decided -> {
            if (decided.waits() != null) {
                return state(id, "pending").put("waits", decided.waits());
            }
            var body = state(id, decision.status());
            return decision.grace().isZero() ? body : body.put("takes_effect_at", Json.time(decided.takesEffectAt()));
        }));
    }

    private static @Nullable Decider decider(Caller caller) {
        var person = caller.person();
        var role = caller.role();
        return person == null || role == null ? null : new Decider(person.login(), role);
    }

    /** Takes a decision back within its {@code grace_seconds} → {@code {"approval_id", "status":"pending"}}. */
    public void retract(RoutingContext ctx) {
        UUID workspaceId = PathIds.workspace(ctx);
        refuseOneself(ctx);
        UUID id = Ids.find(ctx.pathParam("approvalId")).orElseThrow(ApprovalService::unknown);
        Answers.json(
                ctx,
                approvals
                        .retract(workspaceId, id, Caller.of(ctx).name().orElse(null))
                        .map(done -> state(id, "pending")));
    }

    private void refuseOneself(RoutingContext ctx) {
        if (Caller.of(ctx).kind() == Caller.Kind.WORKSPACE && !platform.isOpen(Door.SELF_APPROVAL)) {
            throw ApiError.forbidden("a workspace does not decide its own approvals");
        }
    }

    private static @Nullable UUID cursor(RoutingContext ctx, String name) {
        String sent = ctx.request().getParam(name);
        return sent == null || sent.isEmpty()
                ? null
                : Ids.find(sent).orElseThrow(() -> ApiError.invalid("invalid query"));
    }

    private static ObjectNode state(UUID id, String status) {
        return Json.object().put("approval_id", id.toString()).put("status", status);
    }
}
