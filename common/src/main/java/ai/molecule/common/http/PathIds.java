package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;

/** The {@code :id} of a path. */
public final class PathIds {

    private PathIds() {}

    /** Fails with INVALID {@code invalid workspace ID} for a text that is no UUID. */
    public static UUID workspace(RoutingContext ctx) {
        return Ids.find(ctx.pathParam("id")).orElseThrow(() -> ApiError.invalid("invalid workspace ID"));
    }
}
