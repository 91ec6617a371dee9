package ai.molecule.registry.invitations;

import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;

/** {@code /invitations}; people of a branch invite into it, and are shown the invitations into it. */
public record InvitationRoutes(InvitationService invitations, Guards guards) {

    /** 201 with the workspace's id in clear, this once. */
    public void create(RoutingContext ctx) {
        var wanted = NewInvitation.of(JsonBody.of(ctx, "invalid request body"), UUID.randomUUID());
        Answers.json(
                ctx,
                201,
                guards.actsFor(ctx, wanted.parentId())
                        .compose(
                                may -> invitations.invite(wanted, Caller.of(ctx).endsWith()))
                        .map(made -> made.toJson(wanted.workspaceId())));
    }

    /** {@code {"invitations": […], "count"}}: those that can still be claimed, newest first. */
    public void list(RoutingContext ctx) {
        Answers.json(
                ctx,
                invitations
                        .list(Caller.of(ctx).branchesOnly())
                        .map(found -> Answers.listing("invitations", found, Invitation::toJson)));
    }

    /** By the id of the invitation, or by that of the workspace it was made for. */
    public void revoke(RoutingContext ctx) {
        var id = Ids.find(ctx.pathParam("id")).orElseThrow(InvitationService::unknown);
        Answers.json(
                ctx,
                mayRevoke(ctx, id)
                        .compose(may -> invitations.revoke(id))
                        .map(done -> Json.object().put("status", "revoked")));
    }

    /** One into nobody's branch is none to people of branches. */
    private Future<?> mayRevoke(RoutingContext ctx, UUID id) {
        return Caller.of(ctx).rulesTheOrganisation() || Caller.of(ctx).kind() != Caller.Kind.PERSON
                ? Future.succeededFuture()
                : invitations
                        .find(id, Caller.of(ctx).branchesOnly())
                        .compose(found -> guards.actsFor(ctx, found.parentId()));
    }
}
