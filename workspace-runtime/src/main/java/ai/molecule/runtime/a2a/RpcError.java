package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.TaskRefused;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** A request that cannot be met, and why. How a version of the protocol writes it is its {@link WireForm}'s. */
final class RpcError extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String TYPES = "type.googleapis.com/google.rpc.";
    private static final String DOMAIN = "a2a-protocol.org";
    private static final int VERSION_SHOWN_CHARS = 16;

    private final A2aError kind;
    private final boolean busy;
    private final String field;
    private final transient Map<String, String> metadata;

    private RpcError(A2aError kind, String message, boolean busy, String field, Map<String, String> metadata) {
        super(message, null, false, false); // an answer to a caller, not a fault: no stack is needed
        this.kind = kind;
        this.busy = busy;
        this.field = field;
        this.metadata = metadata;
    }

    private RpcError(A2aError kind, String message) {
        this(kind, message, false, "", Map.of());
    }

    static RpcError parseError() {
        return new RpcError(A2aError.PARSE_ERROR, "the body is not JSON");
    }

    static RpcError invalidRequest(String message) {
        return new RpcError(A2aError.INVALID_REQUEST, message);
    }

    static RpcError methodNotFound(String method) {
        return new RpcError(A2aError.METHOD_NOT_FOUND, "method not found: " + method);
    }

    static RpcError invalidParams(String message) {
        return new RpcError(A2aError.INVALID_PARAMS, message);
    }

    /** @param field its path in the parameters */
    static RpcError invalidField(String field, String why) {
        return new RpcError(A2aError.INVALID_PARAMS, field + " " + why, false, field, Map.of());
    }

    static RpcError internal() {
        return new RpcError(A2aError.INTERNAL, "internal error, see the workspace log");
    }

    static RpcError busy(String message) {
        return new RpcError(A2aError.INTERNAL, message, true, "", Map.of());
    }

    static RpcError taskNotFound(String message) {
        return new RpcError(A2aError.TASK_NOT_FOUND, message);
    }

    static RpcError notCancelable(String message) {
        return new RpcError(A2aError.TASK_NOT_CANCELABLE, message);
    }

    static RpcError pushNotSupported() {
        return new RpcError(A2aError.PUSH_NOTIFICATION_NOT_SUPPORTED, "push notifications are not supported");
    }

    static RpcError unsupported(String message) {
        return new RpcError(A2aError.UNSUPPORTED_OPERATION, message);
    }

    /** @param field what has that type: a header, or a path in the parameters */
    static RpcError contentTypeNotSupported(String field, String why) {
        return new RpcError(A2aError.CONTENT_TYPE_NOT_SUPPORTED, field + " " + why, false, "", Map.of("field", field));
    }

    static RpcError noExtendedCard() {
        return new RpcError(A2aError.EXTENDED_AGENT_CARD_NOT_CONFIGURED, "there is no extended agent card");
    }

    static RpcError versionNotSupported(String asked) {
        String shown = asked.length() > VERSION_SHOWN_CHARS ? "of that version" : asked;
        return new RpcError(
                A2aError.VERSION_NOT_SUPPORTED,
                "A2A " + shown + " is not supported, this agent speaks 0.3 and 1.0",
                false,
                "",
                Map.of("supportedVersions", "0.3, 1.0"));
    }

    int code() {
        return kind.code();
    }

    A2aError kind() {
        return kind;
    }

    /** Of a JSON-RPC answer: 200 except when the agent is busy. */
    int rpcStatus() {
        return busy ? 503 : 200;
    }

    int httpStatus() {
        return busy ? 503 : kind.httpStatus();
    }

    String message() {
        return String.valueOf(getMessage());
    }

    boolean isBusy() {
        return busy;
    }

    /** As {@code google.rpc} types them: what of A2A it is, and which field is meant. Empty when there is nothing to add. */
    ArrayNode details() {
        ArrayNode details = Json.array();
        if (kind.isOfA2a()) {
            ObjectNode info = details.addObject()
                    .put("@type", TYPES + "ErrorInfo")
                    .put("reason", kind.name())
                    .put("domain", DOMAIN);
            if (!metadata.isEmpty()) {
                ObjectNode more = info.putObject("metadata");
                metadata.forEach(more::put);
            }
        }
        if (!field.isEmpty()) {
            details.addObject()
                    .put("@type", TYPES + "BadRequest")
                    .putArray("fieldViolations")
                    .addObject()
                    .put("field", field)
                    .put("description", message());
        }
        return details;
    }

    /** As 0.3 has it, where a message to a task that takes none is a wrong parameter. */
    static RpcError of(TaskRefused refused) {
        String message = String.valueOf(refused.getMessage());
        return switch (refused.kind()) {
            case UNKNOWN_TASK -> taskNotFound(message);
            case NOT_CANCELABLE -> notCancelable(message);
            case WRONG_MESSAGE, TAKES_NO_MESSAGE -> invalidParams(message);
            case BUSY -> busy(message);
        };
    }
}
