package ai.molecule.common.http;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** Writes answers: compact JSON, and a body on every 2xx, because the canvas parses each. */
public final class Answers {

    public static final String JSON = "application/json; charset=utf-8";

    private Answers() {}

    public static void json(RoutingContext ctx, int status, Future<? extends JsonNode> body) {
        body.onSuccess(node -> bytes(ctx, status, Json.buffer(node))).onFailure(ctx::fail);
    }

    public static void json(RoutingContext ctx, Future<? extends JsonNode> body) {
        json(ctx, 200, body);
    }

    /** {@code {"<name>": […], "count"}}. */
    public static <T> ObjectNode listing(String name, List<T> found, Function<T, ? extends JsonNode> toJson) {
        return Json.object().<ObjectNode>set(name, array(found, toJson)).put("count", found.size());
    }

    public static <T> ArrayNode array(Collection<T> found, Function<T, ? extends JsonNode> toJson) {
        var array = Json.MAPPER.createArrayNode();
        found.forEach(one -> array.add(toJson.apply(one)));
        return array;
    }

    /** For bodies that are kept as text. */
    public static void bytes(RoutingContext ctx, int status, Buffer json) {
        if (!ctx.response().ended() && !ctx.response().closed()) {
            ctx.response().setStatusCode(status).putHeader("Content-Type", JSON).end(json);
        }
    }
}
