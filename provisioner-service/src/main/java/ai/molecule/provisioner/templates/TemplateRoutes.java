package ai.molecule.provisioner.templates;

import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.Map;

/** The HTTP face of {@link Templates} (registry contract, 7.1 and 7.2). */
public record TemplateRoutes(Templates templates) {

    private static final String BAD_BODY = "invalid request body";

    public void list(RoutingContext ctx) {
        Answers.json(ctx, templates.list().map(found -> {
            var array = Json.MAPPER.createArrayNode();
            found.forEach(template -> template.settings().ifPresent(settings -> array.add(json(template, settings))));
            return array;
        }));
    }

    /** 201; 409 when there is one of that name. */
    public void importTemplate(RoutingContext ctx) {
        var template = templateIn(JsonBody.of(ctx, BAD_BODY));
        Answers.json(
                ctx,
                201,
                templates
                        .add(template)
                        .map(added -> Json.object()
                                .put("status", "imported")
                                .put("id", template.id())
                                .put("name", template.name())));
    }

    private static NewTemplate templateIn(JsonBody body) {
        var files = body.object("files");
        if (files == null) {
            throw body.bad();
        }
        Map<String, String> content = new LinkedHashMap<>();
        for (var file : files.properties()) {
            if (!file.getValue().isTextual()) {
                throw body.bad();
            }
            content.put(file.getKey(), file.getValue().textValue());
        }
        return NewTemplate.of(body.requiredText("name"), content);
    }

    private static ObjectNode json(Template template, ObjectNode settings) {
        var runtimeConfig = settings.path("runtime_config");
        var skills = settings.path("skills");
        var topModel = Template.text(settings.path("model"));
        var body = Json.object()
                .put("id", template.id())
                .put("name", Template.text(settings.path("name")))
                .put("description", Template.text(settings.path("description")))
                .put("tier", settings.path("tier").asInt())
                .put("runtime", Template.text(settings.path("runtime")))
                .put("model", topModel.isEmpty() ? Template.text(runtimeConfig.path("model")) : topModel);
        if (runtimeConfig.path("models").isArray()) {
            body.set("models", runtimeConfig.path("models"));
        }
        if (runtimeConfig.path("required_env").isArray()) {
            body.set("required_env", runtimeConfig.path("required_env"));
        }
        body.set("skills", skills.isArray() ? skills : Json.MAPPER.nullNode());
        body.put("skill_count", skills.isArray() ? skills.size() : 0);
        template.provisionTimeoutSeconds().ifPresent(seconds -> body.put("provision_timeout_seconds", seconds));
        return body;
    }
}
