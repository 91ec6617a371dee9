package ai.molecule.registry.tokens;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.auth.Tokens;
import ai.molecule.common.config.Environment;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.Acting;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.registry.tokens.TokenService.Issued;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code /workspaces/:id/tokens}, and the test token. */
public record TokenRoutes(TokenService tokens, PlatformConfig config, Acting acting) {

    private static final int LIMIT_DEFAULT = 50;
    private static final int LIMIT_MAX = 200;
    private static final Duration LIFE_IN_PRODUCTION = Duration.ofDays(30);
    private static final Duration LIFE_MAX = Duration.ofDays(3650);

    /** By whoever may leave a branch again, or comes by a token that ends: as long as a person's own token holds at most. */
    private static final Duration LIFE_MAX_OF_PERSON = Duration.ofDays(365);

    /** {@code ?limit=1..200&offset=} → {@code {"tokens": […], "count"}}, newest first; a bad number counts as absent. */
    public void list(RoutingContext ctx) {
        int limit = number(ctx, "limit", LIMIT_DEFAULT, 1, LIMIT_MAX);
        int offset = number(ctx, "offset", 0, 0, Integer.MAX_VALUE);
        Answers.json(
                ctx,
                tokens.list(PathIds.workspace(ctx), limit, offset)
                        .map(found -> Answers.listing("tokens", found, WorkspaceToken::toJson)));
    }

    /** {@code {"expires_in_seconds"}}, optional → 201 with the token in clear, this once. */
    public void create(RoutingContext ctx) {
        UUID id = PathIds.workspace(ctx);
        var caller = Caller.of(ctx);
        var life = lifeOf(JsonBody.optional(ctx, "invalid request body"), caller);
        Answers.json(
                ctx,
                201,
                tokens.issue(id, life, caller.endsWith())
                        .map(token -> issued(token, id)
                                .put("message", "Save this token now — it cannot be retrieved again.")));
    }

    private @Nullable Duration lifeOf(JsonBody body, Caller caller) {
        boolean bounded = caller.isOfBranchesOnly() || caller.byPersonToken();
        var most = bounded ? LIFE_MAX_OF_PERSON : LIFE_MAX;
        if (body.node("expires_in_seconds") == null) {
            return config.environment() == Environment.PRODUCTION ? LIFE_IN_PRODUCTION : bounded ? most : null;
        }
        long seconds = body.integer("expires_in_seconds", 0);
        if (seconds < 1 || seconds > most.toSeconds()) {
            throw ApiError.invalid("expires_in_seconds must be between 1 and %d".formatted(most.toSeconds()));
        }
        return Duration.ofSeconds(seconds);
    }

    public void revoke(RoutingContext ctx) {
        UUID tokenId = Ids.find(ctx.pathParam("tokenId"))
                .orElseThrow(() -> ApiError.notFound("token not found or already revoked"));
        Answers.json(
                ctx,
                tokens.revoke(PathIds.workspace(ctx), tokenId)
                        .map(done -> Json.object().put("status", "revoked")));
    }

    /** A further live token, where the configuration allows it; with {@code ADMIN_TOKEN} set, only for its bearer. */
    public void testToken(RoutingContext ctx) {
        permitTestToken(Bearer.of(ctx.request()));
        UUID id = Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.notFound("workspace not found"));
        acting.as(ctx, config.adminToken() == null ? Caller.ANONYMOUS : Caller.ADMIN);
        Answers.json(ctx, tokens.issueForTests(id).map(token -> issued(token, id)));
    }

    private void permitTestToken(@Nullable String bearer) {
        if (!config.testTokensEnabled()) {
            throw ApiError.notFound("not found");
        }
        String adminToken = config.adminToken();
        if (adminToken != null && (bearer == null || !Tokens.same(bearer, adminToken))) {
            throw ApiError.unauthenticated("admin auth required");
        }
    }

    private static ObjectNode issued(Issued issued, UUID workspaceId) {
        var body = Json.object().put("auth_token", issued.token()).put("workspace_id", workspaceId.toString());
        return issued.expiresAt() == null ? body : body.put("expires_at", Json.time(issued.expiresAt()));
    }

    private static int number(RoutingContext ctx, String name, int fallback, int min, int max) {
        try {
            String sent = ctx.request().getParam(name);
            int value = sent == null ? fallback : Integer.parseInt(sent);
            return value >= min && value <= max ? value : fallback;
        } catch (NumberFormatException notANumber) {
            return fallback;
        }
    }
}
