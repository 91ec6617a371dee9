package ai.molecule.registry.versions;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** {@code /workspaces/:id/versions}. */
public record VersionRoutes(VersionService versions) {

    private static final int LIMIT_DEFAULT = 20;

    /** As many as are kept. */
    private static final int LIMIT_MAX = 100;

    /** {@code {"versions": […], "next"}}, newest first. */
    public void list(RoutingContext ctx) {
        Integer before = number(ctx, "before");
        Integer limit = number(ctx, "limit");
        int max = Math.min(limit == null ? LIMIT_DEFAULT : limit, LIMIT_MAX);
        Answers.json(ctx, versions.list(PathIds.workspace(ctx), before, max + 1).map(found -> {
            var page = found.size() > max ? found.subList(0, max) : found;
            var body = Json.object();
            var list = body.putArray("versions");
            page.forEach(version -> list.add(version.toListed()));
            return body.put("next", found.size() > max ? page.getLast().n() : null);
        }));
    }

    /** One of them with all its settings. */
    public void get(RoutingContext ctx) {
        Answers.json(ctx, versions.get(PathIds.workspace(ctx), nOf(ctx)).map(Version::toJson));
    }

    /** {@code {"status":"restored", "n", "restored_from", "needs_restart", "missing_secrets"}}; 403 for somebody of a branch whom {@code PATCH} would refuse what comes back. */
    public void restore(RoutingContext ctx) {
        int n = nOf(ctx);
        Answers.json(
                ctx,
                versions.restore(
                                PathIds.workspace(ctx),
                                n,
                                Caller.of(ctx).credential(),
                                Caller.of(ctx).isOfBranchesOnly())
                        .map(restored -> {
                            var body = Json.object()
                                    .put("status", "restored")
                                    .put("n", restored.n())
                                    .put("restored_from", n)
                                    .put("needs_restart", restored.needsRestart());
                            return body.set("missing_secrets", Json.MAPPER.valueToTree(restored.missingSecrets()));
                        }));
    }

    private static int nOf(RoutingContext ctx) {
        try {
            return Integer.parseInt(ctx.pathParam("n"));
        } catch (NumberFormatException noNumber) {
            throw ApiError.notFound("version not found");
        }
    }

    private static @Nullable Integer number(RoutingContext ctx, String name) {
        String sent = ctx.request().getParam(name);
        if (sent == null || sent.isEmpty()) {
            return null;
        }
        try {
            int number = Integer.parseInt(sent);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException noNumber) {
            // same answer as for one that is too small
        }
        throw ApiError.invalid("%s must be a whole number, at least 1".formatted(name));
    }
}
