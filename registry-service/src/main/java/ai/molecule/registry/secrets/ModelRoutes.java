package ai.molecule.registry.secrets;

import ai.molecule.common.auth.Caller;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.registry.workspaces.FieldRules;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;

/**
 * {@code /workspaces/:id/model}: the model its agent uses is one secret among others, which runtimes prefer to the {@code model} of their
 * configuration; so a change of it restarts the agent like any other.
 */
public record ModelRoutes(SecretService secrets) {

    static final String KEY = "MODEL_PROVIDER";

    /** {@code {"model", "source"}}, an empty model of source {@code default} where none was chosen. */
    public void get(RoutingContext ctx) {
        Answers.json(
                ctx,
                secrets.find(PathIds.workspace(ctx), KEY)
                        .map(found -> found.map(model -> chosen(model, "workspace_secrets"))
                                .orElseGet(() -> chosen("", "default"))));
    }

    /** {@code {"model"}}; an empty one takes the choice back. */
    public void put(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        var body = JsonBody.of(ctx, "invalid request body");
        body.requiredNode("model"); // a body without it is a mistake rather than a wish to clear
        String model = body.text("model", "");
        FieldRules.checkModel(model);
        var caller = Caller.of(ctx);
        var saved = model.isEmpty()
                ? secrets.delete(id, KEY, caller.credential())
                        .map(done -> Json.object().put("status", "cleared"))
                : secrets.set(id, Secret.of(KEY, model), caller)
                        .map(done -> Json.object().put("status", "saved").put("model", model));
        Answers.json(ctx, saved);
    }

    private static ObjectNode chosen(String model, String source) {
        return Json.object().put("model", model).put("source", source);
    }
}
