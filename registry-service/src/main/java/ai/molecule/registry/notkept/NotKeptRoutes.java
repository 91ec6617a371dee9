package ai.molecule.registry.notkept;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.PathIds;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;

/** The HTTP face of {@link NotKept}. */
public final class NotKeptRoutes {

    /** 200 with none, also for an unknown workspace. */
    public void list(RoutingContext ctx, NotKept what) {
        PathIds.workspace(ctx);
        Answers.json(ctx, Future.succeededFuture(what.none()));
    }

    /** 501 with a sentence that says where else to look. */
    public void make(RoutingContext ctx, NotKept what) {
        ctx.fail(new ApiError(ApiError.Kind.NOT_IMPLEMENTED, what.why()));
    }
}
