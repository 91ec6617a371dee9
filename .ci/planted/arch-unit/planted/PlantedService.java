package planted;

import io.vertx.ext.web.RoutingContext;

final class PlantedService {
    String read(RoutingContext ctx) {
        return ctx.normalizedPath();
    }
}
