package ai.molecule.registry.canvas;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What part of the canvas is shown. */
public record Viewport(double x, double y, double zoom) {

    static final Viewport DEFAULT = new Viewport(0, 0, 1);

    ObjectNode toJson() {
        var body = Json.object();
        body.set("x", Json.number(x));
        body.set("y", Json.number(y));
        body.set("zoom", Json.number(zoom));
        return body;
    }
}
