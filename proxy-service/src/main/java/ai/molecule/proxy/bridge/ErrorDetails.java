package ai.molecule.proxy.bridge;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What an error says beside its sentence: in 0.3 anything, in 1.0 a list of typed objects. Data of 0.3 travels in one of the type {@code Value}, and
 * comes out of it again.
 */
final class ErrorDetails {

    private static final String TYPES = "type.googleapis.com/";
    private static final String INFO = TYPES + "google.rpc.ErrorInfo";
    private static final String VALUE = TYPES + "google.protobuf.Value";

    private ErrorDetails() {}

    static ObjectNode info(A2aErrorCode code) {
        return Json.object().put("@type", INFO).put("reason", code.name()).put("domain", "a2a-protocol.org");
    }

    static ObjectNode violation(String field, String description) {
        ObjectNode violation = Json.object().put("@type", TYPES + "google.rpc.BadRequest");
        violation.putArray("fieldViolations").addObject().put("field", field).put("description", description);
        return violation;
    }

    /** An error of 0.3, told in 1.0. */
    static ObjectNode to10(JsonNode error) {
        ObjectNode told = shown(error);
        JsonNode data = error.path("data");
        if (isTyped(data)) {
            told.set("data", data);
            return told;
        }
        ArrayNode details = Json.MAPPER.createArrayNode();
        A2aErrorCode.of(error.path("code").asInt())
                .filter(A2aErrorCode::isOfA2a)
                .ifPresent(code -> details.add(info(code)));
        if (error.hasNonNull("data")) {
            details.addObject().put("@type", VALUE).set("value", data);
        }
        if (!details.isEmpty()) {
            told.set("data", details);
        }
        return told;
    }

    /** An error of 1.0, told in 0.3: what only repeats the code is left out. */
    static ObjectNode to03(JsonNode error) {
        ObjectNode told = shown(error);
        JsonNode data = error.path("data");
        if (!isTyped(data)) {
            if (error.hasNonNull("data")) {
                told.set("data", data);
            }
            return told;
        }
        for (JsonNode detail : data) {
            if (detail.path("@type").asText().equals(VALUE)) {
                told.set("data", detail.path("value"));
                return told;
            }
        }
        boolean repeats = data.size() == 1
                && data.get(0).path("@type").asText().equals(INFO)
                && data.get(0).path("metadata").isEmpty();
        if (!repeats) {
            told.set("data", data);
        }
        return told;
    }

    private static ObjectNode shown(JsonNode error) {
        ObjectNode told = Json.object();
        told.set(
                "code", error.path("code").isInt() ? error.get("code") : told.numberNode(A2aErrorCode.INTERNAL.code()));
        return told.put("message", error.path("message").asText());
    }

    private static boolean isTyped(JsonNode data) {
        return data.isArray() && !data.isEmpty() && data.get(0).path("@type").isTextual();
    }
}
