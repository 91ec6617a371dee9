package ai.molecule.provisioner.organisations;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Writes a document out in full. What was said once may stand in many places: whatever unfolds beyond the bounds is refused while
 * it does. Members without a value ({@code role:}) are left out. To be used once.
 */
final class Unfolding {

    private static final int VALUES_MAX = 100_000;
    private static final int CHARACTERS_MAX = 8 * 1024 * 1024;
    private static final int DEPTH_MAX = 100;

    private int values;
    private int characters;

    private Unfolding() {}

    /** Fails with INVALID for more than 100,000 values, 8 Mi characters or 100 levels, and for a NUL. */
    static JsonNode of(JsonNode document) {
        return new Unfolding().value(document, 0);
    }

    private JsonNode value(JsonNode node, int depth) {
        if (++values > VALUES_MAX) {
            throw InvalidOrganisation.template("more than %d values".formatted(VALUES_MAX));
        }
        if (depth > DEPTH_MAX) {
            throw InvalidOrganisation.template("nested deeper than %d levels".formatted(DEPTH_MAX));
        }
        if (node.isTextual()) {
            text(node.textValue());
            return node;
        }
        if (node.isArray()) {
            var array = Json.MAPPER.createArrayNode();
            node.forEach(item -> array.add(value(item, depth + 1)));
            return array;
        }
        return node.isObject() ? object(node, depth) : node;
    }

    private ObjectNode object(JsonNode node, int depth) {
        var object = Json.object();
        node.properties().forEach(member -> {
            text(member.getKey());
            if (!member.getValue().isNull()) {
                object.set(member.getKey(), value(member.getValue(), depth + 1));
            }
        });
        return object;
    }

    private void text(String text) {
        characters += text.length();
        if (characters > CHARACTERS_MAX) {
            throw InvalidOrganisation.template("more than %d characters".formatted(CHARACTERS_MAX));
        }
        if (text.indexOf('\0') >= 0) {
            throw InvalidOrganisation.template("a text contains a NUL character");
        }
    }
}
