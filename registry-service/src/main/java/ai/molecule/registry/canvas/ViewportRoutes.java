package ai.molecule.registry.canvas;

import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.registry.canvas.PgViewportStore.Viewport;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code /canvas/viewport}. */
public record ViewportRoutes(PgViewportStore store) {

    private static final Logger LOGGER = LoggerFactory.getLogger(ViewportRoutes.class);
    private static final Viewport DEFAULT = new Viewport(0, 0, 1);

    /** {@code {"x", "y", "zoom"}}, 0, 0 and 1 before the first save, and when it cannot be read: a canvas opens with what it has. */
    public void get(RoutingContext ctx) {
        var viewport = store.find()
                .map(found -> found.orElse(DEFAULT))
                .onFailure(failure -> LOGGER.atWarn().setCause(failure).log("viewport not read"))
                .otherwise(DEFAULT);
        Answers.json(ctx, viewport.map(ViewportRoutes::toJson));
    }

    /** {@code {"x", "y", "zoom"}}, each a number, 0 when absent; 400 {@code invalid viewport data} otherwise. */
    public void save(RoutingContext ctx) {
        var body = JsonBody.of(ctx, "invalid viewport data");
        var viewport = new Viewport(body.number("x", 0), body.number("y", 0), body.number("zoom", 0));
        Answers.json(ctx, store.save(viewport).map(saved -> Json.object().put("status", "saved")));
    }

    private static ObjectNode toJson(Viewport viewport) {
        var body = Json.object();
        body.set("x", Json.number(viewport.x()));
        body.set("y", Json.number(viewport.y()));
        body.set("zoom", Json.number(viewport.zoom()));
        return body;
    }
}
