package ai.molecule.registry.configs;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.UUID;

/**
 * {@code /workspaces/:id/config}.
 *
 * @param bytesMax what one workspace may keep
 */
public record ConfigRoutes(PgConfigStore store, int bytesMax, Clock clock) {

    private static final int BODY_MAX_BYTES = 256 * 1024;

    /** {@code {"data": {…}}}, an empty object when nothing was kept, whether or not there is such a workspace. */
    public void get(RoutingContext ctx) {
        Answers.json(
                ctx,
                store.find(PathIds.workspace(ctx))
                        .map(found -> Json.object().set("data", Json.stored(found.orElse("{}")))));
    }

    /** A JSON object of at most 256 KiB, whose members replace those of the same name → {@code {"status":"updated"}}. */
    public void patch(RoutingContext ctx) {
        UUID id = PathIds.workspace(ctx);
        if (ctx.body().length() > BODY_MAX_BYTES) {
            throw tooLarge();
        }
        var members = JsonBody.of(ctx, "invalid JSON").members();
        Answers.json(
                ctx,
                store.merge(id, Json.text(members), bytesMax, Caller.of(ctx).credential(), clock.instant())
                        .map(merged -> {
                            if (!merged) {
                                throw tooLarge();
                            }
                            return Json.object().put("status", "updated");
                        }));
    }

    private static ApiError tooLarge() {
        return new ApiError(ApiError.Kind.TOO_LARGE, "body too large or unreadable");
    }
}
