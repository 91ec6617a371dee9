package ai.molecule.proxy.bridge;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** What one version of the protocol says and the other cannot, or what neither can. Told to the caller with the member's name. */
final class NotCarriedOver extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final A2aErrorCode code;
    private final String field;

    private NotCarriedOver(A2aErrorCode code, String field, String message) {
        super(message, null, false, false); // an answer, not a fault: no stack is needed
        this.code = code;
        this.field = field;
    }

    /** @param field its path in the parameters, or in an answer */
    static NotCarriedOver field(String field, String why) {
        return new NotCarriedOver(A2aErrorCode.INVALID_PARAMS, field, field + " " + why);
    }

    static NotCarriedOver push(String field) {
        String why = "push notifications are not carried over to an agent that speaks another version of A2A";
        return new NotCarriedOver(
                A2aErrorCode.PUSH_NOTIFICATION_NOT_SUPPORTED, field, field.isEmpty() ? why : field + ": " + why);
    }

    static NotCarriedOver method(String name) {
        String shown = name.length() <= 100 ? name : "";
        return new NotCarriedOver(A2aErrorCode.METHOD_NOT_FOUND, "", "method not found: " + shown);
    }

    static NotCarriedOver of(A2aErrorCode code, String message) {
        return new NotCarriedOver(code, "", message);
    }

    static NotCarriedOver of(A2aErrorCode code, String field, String message) {
        return new NotCarriedOver(code, field, message);
    }

    /** The same of an answer: then it is the agent that said it. */
    NotCarriedOver ofTheAgent() {
        return new NotCarriedOver(
                A2aErrorCode.INVALID_AGENT_RESPONSE,
                field,
                "the agent's answer cannot be told in this version of A2A: " + getMessage());
    }

    /**
     * The {@code error} of a JSON-RPC answer.
     *
     * @param typed as 1.0 has it, with details
     */
    ObjectNode error(boolean typed) {
        ObjectNode error = Json.object().put("code", code.code()).put("message", String.valueOf(getMessage()));
        if (typed) {
            ArrayNode details = Json.MAPPER.createArrayNode();
            if (code.isOfA2a()) {
                details.add(ErrorDetails.info(code));
            }
            if (!field.isEmpty()) {
                details.add(ErrorDetails.violation(field, String.valueOf(getMessage())));
            }
            if (!details.isEmpty()) {
                error.set("data", details);
            }
        }
        return error;
    }
}
