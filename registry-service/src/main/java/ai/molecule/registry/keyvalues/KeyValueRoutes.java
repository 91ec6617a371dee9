package ai.molecule.registry.keyvalues;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import io.vertx.ext.web.RoutingContext;
import java.util.Objects;

/** {@code /workspaces/:id/memory}. */
public record KeyValueRoutes(KeyValueService keyValues) {

    /** {@code ?after=<key>} → a bare array in key order; an empty one is the end. */
    public void list(RoutingContext ctx) {
        String after = withoutNul(ctx.request().getParam("after", ""));
        Answers.json(
                ctx,
                keyValues.list(PathIds.workspace(ctx), after).map(found -> Answers.array(found, KeyValue::toJson)));
    }

    public void get(RoutingContext ctx) {
        Answers.json(ctx, keyValues.get(PathIds.workspace(ctx), key(ctx)).map(KeyValue::toJson));
    }

    /** {@code {"status":"ok","key","version"}}; 409 {@code {"error","expected_version","current_version"}}. */
    public void put(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        var write = KeyWrite.of(JsonBody.of(ctx, "invalid request body"));
        Answers.json(
                ctx,
                keyValues
                        .put(id, write)
                        .map(version -> Json.object()
                                .put("status", "ok")
                                .put("key", write.key())
                                .put("version", version)));
    }

    /** 200 whether or not the key was there. */
    public void delete(RoutingContext ctx) {
        Answers.json(
                ctx,
                keyValues
                        .delete(PathIds.workspace(ctx), key(ctx))
                        .map(done -> Json.object().put("status", "deleted")));
    }

    private static String key(RoutingContext ctx) {
        return withoutNul(Objects.requireNonNull(ctx.pathParam("key")));
    }

    private static String withoutNul(String key) {
        if (key.indexOf('\0') >= 0) {
            throw ApiError.invalid("invalid key");
        }
        return key;
    }
}
