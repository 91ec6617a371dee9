package ai.molecule.registry.secrets;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.http.Acting;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.ext.web.RoutingContext;

/** {@code /workspaces/:id/secrets}, {@code /settings/secrets} and {@code /admin/secrets}. Only {@link #values} answers values. */
public record SecretRoutes(SecretService secrets, Acting acting) {

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
                secrets.set(id, secret, Caller.of(ctx).credential())
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
                secrets.values(PathIds.workspace(ctx), Bearer.of(ctx.request()))
                        .map(values -> Json.MAPPER.<JsonNode>valueToTree(values)));
    }

    public void listGlobal(RoutingContext ctx) {
        Answers.json(ctx, secrets.listGlobal().map(found -> Answers.array(found, SecretEntry::toJson)));
    }

    public void setGlobal(RoutingContext ctx) {
        var body = JsonBody.of(ctx, COMPLAINT);
        var secret = Secret.of(body);
        Answers.json(
                ctx,
                secrets.setGlobal(secret, Grants.find(body))
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

    private static String statusOf(boolean deleted) {
        if (!deleted) {
            throw ApiError.notFound("secret not found");
        }
        return "deleted";
    }
}
