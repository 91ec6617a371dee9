package ai.molecule.registry.canonical;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;
import org.erdtman.jcs.JsonCanonicalizer;
import org.jspecify.annotations.Nullable;

/** What of a JSON text a signature is of: the one spelling that RFC 8785 has for it. */
public final class Canonical {

    private Canonical() {}

    /** Empty for what has none: a number that no double holds. */
    public static Optional<byte[]> bytes(JsonNode json) {
        try {
            return Optional.of(new JsonCanonicalizer(Json.bytes(json)).getEncodedUTF8());
        } catch (IOException | IllegalArgumentException hasNone) {
            return Optional.empty();
        }
    }

    /** Without nulls, empty texts, lists and objects, however deep: as the protocol's own libraries take a card before they check it. */
    public static ObjectNode withoutEmpty(ObjectNode json) {
        return cleaned(json) instanceof ObjectNode some ? some : Json.object();
    }

    private static @Nullable JsonNode cleaned(JsonNode json) {
        return switch (json) {
            case ObjectNode object -> {
                var kept = Json.object();
                object.properties().forEach(member -> {
                    var value = cleaned(member.getValue());
                    if (value != null) {
                        kept.set(member.getKey(), value);
                    }
                });
                yield kept.isEmpty() ? null : kept;
            }
            case ArrayNode array -> {
                var kept = Json.MAPPER.createArrayNode();
                for (var element : array) {
                    var value = cleaned(element);
                    if (value != null) {
                        kept.add(value);
                    }
                }
                yield kept.isEmpty() ? null : kept;
            }
            default -> json.isNull() || (json.isTextual() && json.textValue().isEmpty()) ? null : json;
        };
    }
}
