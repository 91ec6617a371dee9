package ai.molecule.runtime.a2a;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A JSON-RPC 2.0 request. Batches are not part of A2A; a request without an id is answered with id null, because nobody
 * here sends notifications and a sender that forgot the id wants its answer.
 *
 * @param params an empty object when there were none
 */
record RpcRequest(JsonNode id, String method, JsonNode params) {

    private static final int KEY_MAX_CHARS = 256;

    /** The id alone, for an error about the rest; null when there is none that could be echoed. */
    static JsonNode idOf(JsonNode body) {
        JsonNode id = body.path("id");
        return id.isTextual() || id.isNumber() ? id : Json.object().nullNode();
    }

    /** @throws RpcError -32600 when the envelope is not JSON-RPC 2.0, -32602 when params are not an object */
    static RpcRequest parse(JsonNode body) {
        if (!body.isObject()) {
            throw RpcError.invalidRequest(body.isArray() ? "batches are not supported" : "a request is a JSON object");
        }
        if (!"2.0".equals(body.path("jsonrpc").textValue())) {
            throw RpcError.invalidRequest("jsonrpc must be \"2.0\"");
        }
        JsonNode id = body.path("id");
        if (id.isContainerNode() || id.isBoolean()) {
            throw RpcError.invalidRequest("id must be a string or a number");
        }
        String method = body.path("method").textValue();
        if (method == null || method.isEmpty()) {
            throw RpcError.invalidRequest("method is required");
        }
        JsonNode params = body.path("params");
        if (!params.isObject() && !params.isMissingNode() && !params.isNull()) {
            throw RpcError.invalidParams("params must be an object");
        }
        return new RpcRequest(idOf(body), method, params.isObject() ? params : Json.object());
    }

    /** @throws RpcError -32602 when the parameter is missing, empty, not a string, or longer than an identifier is */
    static String requiredText(JsonNode params, String name) {
        return text(params, name).orElseThrow(() -> RpcError.invalidField(name, "is required"));
    }

    /** @throws RpcError -32602 when it is there but no count */
    static OptionalInt count(JsonNode object, String name) {
        JsonNode value = object.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return OptionalInt.empty();
        }
        if (!value.isInt() || value.intValue() < 0) {
            throw RpcError.invalidField(name, "must be a number from 0");
        }
        return OptionalInt.of(value.intValue());
    }

    /** A short string; empty when absent. @throws RpcError -32602 when it is something else */
    static Optional<String> text(JsonNode object, String name) {
        JsonNode value = object.path(name);
        if (value.isMissingNode() || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isTextual()
                || value.textValue().isBlank()
                || value.textValue().length() > KEY_MAX_CHARS) {
            throw RpcError.invalidField(name, "must be a string of 1 to " + KEY_MAX_CHARS + " characters");
        }
        return Optional.of(value.textValue());
    }
}
