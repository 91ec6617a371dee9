package ai.molecule.proxy.bridge;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** Data that is no object, which 0.3 has no place for: it travels as the member of one, with a mark, as in the public SDKs. */
final class DataParts {

    private static final String MARK = "data_part_compat";
    private static final String VALUE = "value";

    private DataParts() {}

    static JsonNode wrapped(JsonNode data) {
        return data.isObject() ? data : Json.object().set(VALUE, data);
    }

    static JsonNode unwrapped(JsonNode part) {
        JsonNode data = part.path("data");
        return isMarked(part) ? data.path(VALUE) : data;
    }

    /** Of a part of 1.0; empty where it has none. */
    static Optional<JsonNode> metadataWithMark(JsonNode part, String content) {
        boolean marked = content.equals("data") && !part.path("data").isObject();
        JsonNode metadata = part.path("metadata");
        if (!marked) {
            return Optional.of(metadata).filter(JsonNode::isObject);
        }
        ObjectNode both = Json.object().put(MARK, true);
        if (metadata.isObject()) {
            both.setAll((ObjectNode) metadata);
        }
        return Optional.of(both);
    }

    /** Of a part of 0.3; empty where it has none but the mark. */
    static Optional<JsonNode> metadataWithoutMark(JsonNode part) {
        JsonNode metadata = part.path("metadata");
        if (!isMarked(part)) {
            return Optional.of(metadata).filter(JsonNode::isObject);
        }
        ObjectNode others = metadata.deepCopy();
        others.remove(MARK);
        return Optional.<JsonNode>of(others).filter(rest -> !rest.isEmpty());
    }

    private static boolean isMarked(JsonNode part) {
        return part.path("data").has(VALUE) && part.path("metadata").path(MARK).asBoolean();
    }
}
