package ai.molecule.registry.workspaces;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.provisioner.TemplateRuntime;
import ai.molecule.common.http.JsonBody;
import io.vertx.core.Future;

/** Fills in what a template says of runtime and model and the caller did not (registry contract, 5.1). */
public record TemplateDefaults(Bus bus) {

    private static final String RUNTIME = "runtime";
    private static final String MODEL = "model";

    /**
     * The body, completed. Asks nobody when there is no template, or nothing to fill in. Fails with INVALID {@code invalid template} for
     * a name that leads out of the templates, and with UNAVAILABLE when nobody can say: a workspace of the wrong runtime helps nobody.
     */
    Future<JsonBody> complete(JsonBody body) {
        String template = body.text("template", "");
        boolean wanted =
                body.text(RUNTIME, "").isEmpty() || body.text(MODEL, "").isEmpty();
        if (template.isEmpty() || !wanted || body.flag("external", false)) {
            return Future.succeededFuture(body);
        }
        return bus.call(TemplateRuntime.CONTRACT, new TemplateRuntime(template)).map(said -> {
            if (body.text(RUNTIME, "").isEmpty() && said.runtime() != null) {
                body.members().put(RUNTIME, said.runtime());
            }
            if (body.text(MODEL, "").isEmpty() && said.model() != null) {
                body.members().put(MODEL, said.model());
            }
            return body;
        });
    }
}
