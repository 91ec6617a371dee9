package ai.molecule.registry.model;

import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.registry.http.PathIds;
import ai.molecule.registry.workspaces.FieldRules;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;

/** The HTTP face of {@link ModelService}. */
public final class ModelRoutes {

    private final ModelService models;

    public ModelRoutes(ModelService models) {
        this.models = models;
    }

    public void get(RoutingContext ctx) {
        Answers.json(
                ctx,
                models.find(PathIds.workspace(ctx))
                        .map(found -> found.map(ModelRoutes::chosen)
                                .orElseGet(() -> Json.object().put("model", "").put("source", "default"))));
    }

    /** {@code {"model"}}; an empty one takes the choice back. */
    public void put(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        var body = JsonBody.of(ctx, "invalid request body");
        body.requiredNode("model"); // a body without it is a mistake rather than a wish to clear
        String model = body.text("model", "");
        FieldRules.checkModel(model);
        var saved = model.isEmpty()
                ? models.clear(id).map(done -> Json.object().put("status", "cleared"))
                : models.choose(id, model)
                        .map(done -> Json.object().put("status", "saved").put("model", model));
        Answers.json(ctx, saved);
    }

    private static ObjectNode chosen(String model) {
        return Json.object().put("model", model).put("source", "workspace_secrets");
    }
}
