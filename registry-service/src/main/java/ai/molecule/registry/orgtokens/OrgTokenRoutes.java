package ai.molecule.registry.orgtokens;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.ClientLimit;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.registry.orgtokens.OrgTokenService.Minted;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/**
 * {@code /org/tokens}.
 *
 * @param mints how many a client may make
 */
public record OrgTokenRoutes(OrgTokenService tokens, ClientLimit mints) {

    private static final int NAME_MAX_CHARS = 100;

    /** {@code {"tokens": […], "count"}}: live ones, newest first, at most 500. */
    public void list(RoutingContext ctx) {
        Answers.json(ctx, tokens.list().map(found -> Answers.listing("tokens", found, OrgToken::toJson)));
    }

    /** 200 with the token in clear, this once. An empty body is one without a name. Not by a person's token. */
    public void create(RoutingContext ctx) {
        Caller.of(ctx).refusePersonToken();
        var name = nameOf(JsonBody.optional(ctx, "invalid request body"));
        var minted = mints.admit(ctx).compose(admitted -> tokens.mint(name, actorOf(ctx)));
        Answers.json(ctx, minted.map(OrgTokenRoutes::minted));
    }

    public void revoke(RoutingContext ctx) {
        var id = Ids.find(ctx.pathParam("id"))
                .orElseThrow(() -> ApiError.notFound("token not found or already revoked"));
        var revoked = tokens.revoke(id, actorOf(ctx));
        Answers.json(ctx, revoked.map(done -> Json.object().put("revoked", id.toString())));
    }

    private static @Nullable String nameOf(JsonBody body) {
        String name = body.text("name", "");
        if (name.codePointCount(0, name.length()) > NAME_MAX_CHARS) {
            throw ApiError.invalid("name too long (max %d chars)".formatted(NAME_MAX_CHARS));
        }
        return name.isEmpty() ? null : name;
    }

    /** Who is to be remembered as having done it. A cookie means that a person sat in front of it. */
    private static String actorOf(RoutingContext ctx) {
        var caller = Caller.of(ctx);
        return switch (caller.kind()) {
            case ORGANISATION -> "org-token:" + caller.organisationTokenPrefix();
            case WORKSPACE -> "workspace:" + caller.workspaceId();
            case PERSON -> caller.credential();
            case ADMIN, HATCH, ANONYMOUS -> ctx.request().getHeader("Cookie") == null ? "admin-token" : "session";
        };
    }

    private static ObjectNode minted(Minted minted) {
        var description = minted.description();
        var body = Json.object().put("id", description.id().toString()).put("prefix", description.prefix());
        if (description.name() != null) {
            body.put("name", description.name());
        }
        return body.put("auth_token", minted.token()).put("warning", "copy this token now; it will not be shown again");
    }
}
