package ai.molecule.registry.invitations;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;

/** {@code /invitations}. */
public record InvitationRoutes(InvitationService invitations) {

    /** 201 with the workspace's id in clear, this once. */
    public void create(RoutingContext ctx) {
        var wanted = NewInvitation.of(JsonBody.of(ctx, "invalid request body"), UUID.randomUUID());
        Answers.json(ctx, 201, invitations.invite(wanted).map(made -> made.toJson(wanted.workspaceId())));
    }

    /** {@code {"invitations": […], "count"}}: those that can still be claimed, newest first. */
    public void list(RoutingContext ctx) {
        Answers.json(ctx, invitations.list().map(found -> Answers.listing("invitations", found, Invitation::toJson)));
    }

    /** By the id of the invitation, or by that of the workspace it was made for. */
    public void revoke(RoutingContext ctx) {
        var id = Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.notFound("invitation not found"));
        Answers.json(ctx, invitations.revoke(id).map(done -> Json.object().put("status", "revoked")));
    }
}
