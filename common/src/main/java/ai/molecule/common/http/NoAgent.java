package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;

/**
 * Refuses what the platform sends to agents: an agent that registers an address of the platform's own would have it ask itself, from
 * this machine, in the agent's words. Such a request names its target and shows no credential; an agent that calls a peer by way of
 * the platform shows its own.
 */
public final class NoAgent implements Handler<RoutingContext> {

    private static final String TARGET = "X-Molecule-Target";

    @Override
    public void handle(RoutingContext ctx) {
        var headers = ctx.request().headers();
        if (headers.contains(TARGET) && !headers.contains(HttpHeaders.AUTHORIZATION)) {
            ctx.fail(new ApiError(ApiError.Kind.MISDIRECTED, "this is the platform, not an agent"));
        } else {
            ctx.next();
        }
    }
}
