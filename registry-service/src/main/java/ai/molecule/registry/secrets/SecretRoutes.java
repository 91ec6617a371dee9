package ai.molecule.registry.secrets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.AgentsEntrance;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Role;
import ai.molecule.common.http.Acting;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;

/** {@code /workspaces/:id/secrets}, {@code /settings/secrets} and {@code /admin/secrets}. Only {@link #values} answers values. */
public record SecretRoutes(SecretService secrets, Guards guards, Acting acting) {

    private static final String COMPLAINT = "invalid request body";

    public void list(RoutingContext ctx) {
        Answers.json(
                ctx,
                secrets.list(Caller.of(ctx), PathIds.workspace(ctx))
                        .map(found -> Answers.array(found, SecretEntry::toJson)));
    }

    public void set(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        var secret = Secret.of(JsonBody.of(ctx, COMPLAINT));
        Answers.json(
                ctx,
                secrets.requireReferable(secret, () -> rulesTheOrganisation(ctx))
                        .compose(may -> secrets.set(id, secret, Caller.of(ctx)))
                        .map(done -> Json.object().put("status", "saved").put("key", secret.key())));
    }

    public void delete(RoutingContext ctx) {
        String key = ctx.pathParam("key");
        Answers.json(
                ctx,
                secrets.delete(PathIds.workspace(ctx), key, Caller.of(ctx).credential())
                        .map(deleted ->
                                Json.object().put("status", statusOf(deleted)).put("key", key)));
    }

    /** The flat object an agent reads into its environment; no cache on the way keeps it. */
    public void values(RoutingContext ctx) {
        if (Caller.of(ctx).kind() == Caller.Kind.PERSON) {
            throw Guards.refusal(
                    Bearer.of(ctx.request())); // they are for its agent: nobody looks at them, whatever the role
        }
        acting.as(ctx, Caller.of(ctx));
        ctx.response().putHeader("Cache-Control", "no-store");
        Answers.json(
                ctx,
                secrets.values(
                                PathIds.workspace(ctx),
                                Bearer.of(ctx.request()),
                                "true".equals(ctx.request().getParam("follow")))
                        .map(values -> Json.MAPPER.<JsonNode>valueToTree(values)));
    }

    public void listGlobal(RoutingContext ctx) {
        Answers.json(ctx, secrets.listGlobal().map(found -> Answers.array(found, SecretEntry::toJson)));
    }

    public void setGlobal(RoutingContext ctx) {
        var body = JsonBody.of(ctx, COMPLAINT);
        var secret = Secret.of(body);
        var grants = Grants.find(body);
        Answers.json(
                ctx,
                secrets.requireReferable(secret, () -> rulesTheOrganisation(ctx))
                        .compose(may -> secrets.setGlobal(secret, grants))
                        .map(done -> Json.object()
                                .put("status", "saved")
                                .put("key", secret.key())
                                .put("scope", "global")));
    }

    public void deleteGlobal(RoutingContext ctx) {
        String key = ctx.pathParam("key");
        Answers.json(
                ctx,
                secrets.deleteGlobal(key)
                        .map(deleted -> Json.object()
                                .put("status", statusOf(deleted))
                                .put("key", key)
                                .put("scope", "global")));
    }

    /** {@code {"key_id", "rotated", "remaining"}}. */
    public void rotate(RoutingContext ctx) {
        Answers.json(ctx, secrets.rotate());
    }

    /** An owner of the organisation, an organisation's token or an administrator's; nobody for a branch, no agent, whichever its listener. */
    private Future<?> rulesTheOrganisation(RoutingContext ctx) {
        var refusal = ApiError.forbidden(
                "only an owner of the organization may set a reference, because the platform's machine"
                        + " reads it: set a value, or ask an owner");
        if (AgentsEntrance.took(ctx.request())) {
            return Future.failedFuture(refusal);
        }
        return guards.admin(Bearer.of(ctx.request()), Role.OWNER)
                .recover(failed -> Future.failedFuture(
                        failed instanceof ApiError error
                                        && (error.kind() == ApiError.Kind.FORBIDDEN
                                                || error.kind() == ApiError.Kind.UNAUTHENTICATED)
                                ? refusal
                                : failed))
                .compose(caller ->
                        caller.rulesTheOrganisation() ? Future.succeededFuture() : Future.failedFuture(refusal));
    }

    private static String statusOf(boolean deleted) {
        if (!deleted) {
            throw ApiError.notFound("secret not found");
        }
        return "deleted";
    }
}
