package ai.molecule.registry.hibernation;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import io.vertx.ext.web.RoutingContext;

/** {@code /workspaces/:id/hibernation}. Both answer {@code {"hibernation_idle_minutes", "effective_idle_minutes"}}. */
public record HibernationRoutes(PgHibernationStore store) {

    public void get(RoutingContext ctx) {
        Answers.json(
                ctx,
                store.policyOf(PathIds.workspace(ctx))
                        .map(found ->
                                found.orElseThrow(HibernationRoutes::unknown).toJson()));
    }

    /** {@code {"hibernation_idle_minutes": minutes, 0 for never, or null for what holds above}}, for itself and those below. */
    public void patch(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        var body = JsonBody.of(ctx, "invalid request body");
        if (!body.has(IdlePolicy.FIELD)) {
            throw ApiError.invalid(IdlePolicy.FIELD + " field is required");
        }
        Integer minutes = body.node(IdlePolicy.FIELD) == null ? null : body.int32(IdlePolicy.FIELD, 0);
        if (minutes != null && (minutes < 0 || minutes > IdlePolicy.MINUTES_MAX)) {
            throw ApiError.invalid(
                    "%s must be from 0 to %d, or null".formatted(IdlePolicy.FIELD, IdlePolicy.MINUTES_MAX));
        }
        Answers.json(
                ctx,
                store.setPolicy(id, minutes)
                        .map(found ->
                                found.orElseThrow(HibernationRoutes::unknown).toJson()));
    }

    private static ApiError unknown() {
        return ApiError.notFound("workspace not found");
    }
}
