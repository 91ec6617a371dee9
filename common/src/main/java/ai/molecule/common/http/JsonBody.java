package ai.molecule.common.http;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A request body that must be a JSON object, read as existing clients expect: whatever the Content-Type, the first JSON value
 * only, unknown members ignored, member names in any case. Anything else fails with INVALID and the endpoint's own text.
 */
public final class JsonBody {

    private final ObjectNode members;
    private final String complaint;

    private JsonBody(ObjectNode members, String complaint) {
        this.members = members;
        this.complaint = complaint;
    }

    /** @param complaint the endpoint's text for every bad body, such as {@code invalid request body} */
    public static JsonBody of(RoutingContext ctx, String complaint) {
        var buffer = ctx.body().buffer();
        return parse(buffer == null ? new byte[0] : buffer.getBytes(), complaint);
    }

    /** An empty body counts as {@code {}}. */
    public static JsonBody optional(RoutingContext ctx, String complaint) {
        var buffer = ctx.body().buffer();
        return buffer == null || buffer.length() == 0
                ? new JsonBody(Json.object(), complaint)
                : parse(buffer.getBytes(), complaint);
    }

    public static JsonBody parse(byte[] text, String complaint) {
        try {
            if (Json.parse(text) instanceof ObjectNode members && Json.isStorable(members)) {
                return new JsonBody(members, complaint);
            }
        } catch (IOException malformed) {
            // same answer as for one that is no object
        }
        throw ApiError.invalid(complaint);
    }

    public ObjectNode members() {
        return members;
    }

    public boolean has(String name) {
        return find(name) != null;
    }

    /** The member whatever its type; null when absent or JSON null. */
    public @Nullable JsonNode node(String name) {
        var node = find(name);
        return node == null || node.isNull() ? null : node;
    }

    public JsonNode requiredNode(String name) {
        var node = node(name);
        if (node == null) {
            throw bad();
        }
        return node;
    }

    /** Null when absent or JSON null. */
    public @Nullable String text(String name) {
        var node = node(name);
        if (node == null) {
            return null;
        }
        if (!node.isTextual()) {
            throw bad();
        }
        return node.textValue();
    }

    public String text(String name, String fallback) {
        String value = text(name);
        return value == null ? fallback : value;
    }

    /** Present and not empty. */
    public String requiredText(String name) {
        String value = text(name);
        if (value == null || value.isEmpty()) {
            throw bad();
        }
        return value;
    }

    /** A whole number, also as a client writes it that counts in floating point: {@code 1.0}. */
    public long integer(String name, long fallback) {
        var node = node(name);
        if (node == null) {
            return fallback;
        }
        if (!node.canConvertToExactIntegral() || !node.canConvertToLong()) {
            throw bad();
        }
        return node.longValue();
    }

    /** An int; a number past its range is bad like any other wrong type. */
    public int int32(String name, int fallback) {
        long value = integer(name, fallback);
        if (value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
            throw bad();
        }
        return (int) value;
    }

    public double number(String name, double fallback) {
        var node = node(name);
        if (node == null) {
            return fallback;
        }
        double value = node.doubleValue();
        if (!node.isNumber() || !Double.isFinite(value)) {
            throw bad();
        }
        return value;
    }

    public boolean flag(String name, boolean fallback) {
        var node = node(name);
        if (node == null) {
            return fallback;
        }
        if (!node.isBoolean()) {
            throw bad();
        }
        return node.booleanValue();
    }

    public @Nullable ObjectNode object(String name) {
        var node = node(name);
        if (node == null) {
            return null;
        }
        if (node instanceof ObjectNode object) {
            return object;
        }
        throw bad();
    }

    public ApiError bad() {
        return ApiError.invalid(complaint);
    }

    private @Nullable JsonNode find(String name) {
        var exact = members.get(name);
        if (exact != null) {
            return exact;
        }
        for (var member : members.properties()) {
            if (member.getKey().equalsIgnoreCase(name)) {
                return member.getValue();
            }
        }
        return null;
    }
}
