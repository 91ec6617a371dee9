package ai.molecule.proxy.models.translation;

import ai.molecule.proxy.models.translation.NeutralRequest.Image;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is written the same way in more than one protocol. */
final class RequestMembers {

    private RequestMembers() {}

    static @Nullable Long count(JsonNode number) {
        if (number.isMissingNode() || number.isNull()) {
            return null;
        }
        if (!number.isIntegralNumber() || !number.canConvertToLong() || number.longValue() < 1) {
            throw NotTranslated.malformed("a limit of output is a whole number, 1 at least");
        }
        return number.longValue();
    }

    /** Null for 1, which all three protocols take when nothing is said. */
    static @Nullable BigDecimal sampling(JsonNode number) {
        return number.isNumber() && number.decimalValue().compareTo(BigDecimal.ONE) != 0
                ? number.decimalValue().stripTrailingZeros()
                : null;
    }

    static void put(ObjectNode body, String name, @Nullable BigDecimal number) {
        if (number != null) {
            body.put(name, number);
        }
    }

    static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        if (list.isTextual()) {
            texts.add(list.textValue());
        }
        for (var text : list) {
            texts.add(text.asText(""));
        }
        return List.copyOf(texts);
    }

    static @Nullable ObjectNode objectOrNull(JsonNode node) {
        return node instanceof ObjectNode object ? object : null;
    }

    static JsonNode list(JsonNode node, String name) {
        if (!node.isMissingNode() && !node.isNull() && !(node instanceof ArrayNode)) {
            throw NotTranslated.malformed(name + " must be a list");
        }
        return node;
    }

    static String required(JsonNode object, String name, String where) {
        var value = object.path(name);
        if (!value.isTextual() || value.textValue().isEmpty()) {
            throw NotTranslated.malformed(where + " needs " + name);
        }
        return value.textValue();
    }

    static Image image(JsonNode url) {
        if (!url.isTextual() || url.textValue().isEmpty()) {
            throw NotTranslated.of("an image without an address");
        }
        return new Image(url.textValue());
    }
}
