package ai.molecule.common.http;

import ai.molecule.common.routing.PathTree;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/**
 * Programs that speak a provider's protocol show their key in a header of its own. At the model door, and nowhere else, it becomes the
 * request's bearer, here and once and before anything is counted: else a workspace would use up the share of its address, and a stranger
 * there that of the workspace. Beside an {@code Authorization} it means nothing.
 */
final class ModelKeyHeader implements Handler<RoutingContext> {

    private static final List<CharSequence> NAMES =
            List.of(HttpHeaders.createOptimized("x-api-key"), HttpHeaders.createOptimized("x-goog-api-key"));

    private static final PathTree<Boolean> DOOR = new PathTree<>();

    static {
        DOOR.put("/models/*", true);
    }

    @Override
    public void handle(RoutingContext ctx) {
        var headers = ctx.request().headers();
        for (var name : NAMES) {
            String key = headers.get(name);
            if (key != null
                    && !key.isBlank()
                    && !headers.contains(HttpHeaders.AUTHORIZATION)
                    && DOOR.find(ctx.normalizedPath()) != null) {
                headers.set(HttpHeaders.AUTHORIZATION, "Bearer " + key.trim());
            }
        }
        ctx.next();
    }
}
