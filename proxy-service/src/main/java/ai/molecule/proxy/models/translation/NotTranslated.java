package ai.molecule.proxy.models.translation;

import ai.molecule.common.ApiError;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What stops at the border between two protocols. */
final class NotTranslated {

    private NotTranslated() {}

    /** Of a request: what the model would be asked is another thing without it. */
    static ApiError of(String what) {
        return new ApiError(
                ApiError.Kind.INVALID,
                what
                        + " is not translated into the protocol of this model's provider: leave it out, or choose a model whose provider speaks the protocol you ask in",
                Map.of("code", "not_translated"));
    }

    static ApiError malformed(String what) {
        return new ApiError(ApiError.Kind.INVALID, what, Map.of("code", "not_translated"));
    }

    /** Of an answer. */
    static ApiError answer(String what) {
        return new ApiError(ApiError.Kind.BAD_GATEWAY, "the provider " + what);
    }

    /**
     * Throws for a member that is in neither set and says something: null, false, 0 and what is empty say nothing.
     *
     * @param where stands before its name, such as {@code tools.}
     * @param leftOut hints, without which the answer is the same kind of answer
     */
    static void beyond(JsonNode object, String where, Set<String> translated, Set<String> leftOut) {
        for (var member : object.properties()) {
            String name = member.getKey();
            if (!translated.contains(name) && !leftOut.contains(name) && says(member.getValue())) {
                throw of(where + name);
            }
        }
    }

    private static boolean says(JsonNode value) {
        return switch (value.getNodeType()) {
            case NULL, MISSING -> false;
            case BOOLEAN -> value.booleanValue();
            case NUMBER -> value.decimalValue().signum() != 0;
            case STRING -> !value.textValue().isEmpty();
            default -> !value.isEmpty();
        };
    }

    /** A call's arguments; empty text is no arguments, what is no object is none at all. */
    static Optional<ObjectNode> object(String json) {
        if (json.isBlank()) {
            return Optional.of(Json.object());
        }
        try {
            return Json.MAPPER.readTree(json) instanceof ObjectNode object ? Optional.of(object) : Optional.empty();
        } catch (JsonProcessingException noJson) {
            return Optional.empty();
        }
    }
}
