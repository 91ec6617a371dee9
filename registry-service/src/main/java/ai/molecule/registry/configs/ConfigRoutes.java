package ai.molecule.registry.configs;

import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.registry.http.PathIds;
import io.vertx.ext.web.RoutingContext;
import java.util.UUID;

/** The HTTP face of {@link ConfigService}. */
public final class ConfigRoutes {

    private static final int BODY_MAX_BYTES = 256 * 1024;

    private final ConfigService configs;

    public ConfigRoutes(ConfigService configs) {
        this.configs = configs;
    }

    /** {@code {"data": {…}}}. */
    public void get(RoutingContext ctx) {
        Answers.json(
                ctx,
                configs.get(PathIds.workspace(ctx)).map(data -> Json.object().set("data", data)));
    }

    /** A JSON object of at most 256 KiB, whose members replace those of the same name → {@code {"status":"updated"}}. */
    public void patch(RoutingContext ctx) {
        UUID id = PathIds.workspace(ctx);
        if (ctx.body().length() > BODY_MAX_BYTES) {
            throw ConfigService.tooLarge();
        }
        var members = JsonBody.of(ctx, "invalid JSON").members();
        Answers.json(ctx, configs.merge(id, members).map(merged -> Json.object().put("status", "updated")));
    }
}
