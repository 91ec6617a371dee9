package ai.molecule.registry.canvas;

import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import io.vertx.ext.web.RoutingContext;

/** The HTTP face of {@link ViewportService}. */
public final class ViewportRoutes {

    private final ViewportService viewports;

    public ViewportRoutes(ViewportService viewports) {
        this.viewports = viewports;
    }

    /** {@code {"x", "y", "zoom"}}, 0, 0 and 1 before the first save. */
    public void get(RoutingContext ctx) {
        Answers.json(ctx, viewports.get().map(Viewport::toJson));
    }

    /** {@code {"x", "y", "zoom"}}, each a number, 0 when absent; 400 {@code invalid viewport data} otherwise. */
    public void save(RoutingContext ctx) {
        var body = JsonBody.of(ctx, "invalid viewport data");
        var viewport = new Viewport(body.number("x", 0), body.number("y", 0), body.number("zoom", 0));
        Answers.json(ctx, viewports.save(viewport).map(saved -> Json.object().put("status", "saved")));
    }
}
