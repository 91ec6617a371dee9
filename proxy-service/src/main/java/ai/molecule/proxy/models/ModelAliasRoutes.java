package ai.molecule.proxy.models;

import static java.util.Objects.requireNonNull;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.common.models.ProviderTable;
import ai.molecule.proxy.models.ModelAliases.Alias;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;

/** {@code /workspaces/:id/model-aliases}: names of models for a workspace and all below it. */
public record ModelAliasRoutes(ModelAliases aliases, ProviderTable table) {

    /** Those that count for it: {@code {"aliases":[{"name", "models", "of"}]}}; {@code of} is null of the operator's. */
    public void list(RoutingContext ctx) {
        Answers.json(ctx, aliases.of(PathIds.workspace(ctx)).map(used -> {
            var body = Json.object();
            var list = body.putArray("aliases");
            used.forEach(alias -> list.add(toJson(alias)));
            return body;
        }));
    }

    /** {@code {"models": ["provider:model", …]}}, those that stand in for the first behind it. */
    public void set(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        String name = nameOf(ctx);
        var models = JsonBody.of(ctx, "the request body must be a JSON object").node("models");
        var alias = new Alias(name, table.aliasOf(name, models == null ? Json.object() : models), id);
        Answers.json(ctx, aliases.set(id, alias).map(set -> toJson(alias)));
    }

    public void remove(RoutingContext ctx) {
        String name = nameOf(ctx);
        Answers.json(ctx, aliases.remove(PathIds.workspace(ctx), name).map(was -> {
            if (!was) {
                throw ApiError.notFound("this workspace has no alias of that name");
            }
            return Json.object().put("removed", name);
        }));
    }

    private static String nameOf(RoutingContext ctx) {
        return requireNonNull(ctx.pathParam("name"));
    }

    private static ObjectNode toJson(Alias alias) {
        var of = alias.of();
        var body = Json.object().put("name", alias.name());
        alias.models().forEach(body.putArray("models")::add);
        return body.put("of", of == null ? null : of.toString());
    }
}
