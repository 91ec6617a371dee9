package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.TaskRefused;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A JSON-RPC error, with the codes of JSON-RPC 2.0 and of A2A. The HTTP status is 200 except when the agent is busy. */
final class RpcError extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int code;
    private final int httpStatus;
    private final transient JsonNode data;

    private RpcError(int code, String message, int httpStatus, JsonNode data) {
        super(message, null, false, false); // an answer to a caller, not a fault: no stack is needed
        this.code = code;
        this.httpStatus = httpStatus;
        this.data = data;
    }

    private RpcError(int code, String message) {
        this(code, message, 200, MissingNode.getInstance());
    }

    static RpcError parseError() {
        return new RpcError(-32700, "the body is not JSON");
    }

    static RpcError invalidRequest(String message) {
        return new RpcError(-32600, message);
    }

    static RpcError methodNotFound(String method) {
        return new RpcError(-32601, "method not found: " + method);
    }

    static RpcError invalidParams(String message) {
        return new RpcError(-32602, message);
    }

    static RpcError internal() {
        return new RpcError(-32603, "internal error, see the workspace log");
    }

    static RpcError busy(String message) {
        return new RpcError(-32603, message, 503, MissingNode.getInstance());
    }

    static RpcError taskNotFound(String message) {
        return new RpcError(-32001, message);
    }

    static RpcError notCancelable(String message) {
        return new RpcError(-32002, message);
    }

    static RpcError pushNotSupported() {
        return new RpcError(-32003, "push notifications are not supported");
    }

    static RpcError noExtendedCard() {
        return new RpcError(-32007, "there is no extended agent card");
    }

    /** With the typed detail that protocol 1.0 asks for, because only its clients can get here. */
    static RpcError versionNotSupported(String asked) {
        ObjectNode detail = Json.object()
                .put("@type", "type.googleapis.com/google.rpc.ErrorInfo")
                .put("reason", "VERSION_NOT_SUPPORTED")
                .put("domain", "a2a-protocol.org");
        detail.putObject("metadata").put("supportedVersions", "0.3");
        return new RpcError(
                -32009,
                "A2A " + asked + " is not supported, this agent speaks 0.3",
                200,
                Json.array().add(detail));
    }

    static RpcError of(TaskRefused refused) {
        String message = String.valueOf(refused.getMessage());
        return switch (refused.kind()) {
            case UNKNOWN_TASK -> taskNotFound(message);
            case NOT_CANCELABLE -> notCancelable(message);
            case WRONG_MESSAGE -> invalidParams(message);
            case BUSY -> busy(message);
        };
    }

    int code() {
        return code;
    }

    int httpStatus() {
        return httpStatus;
    }

    ObjectNode toJson() {
        ObjectNode json = Json.object().put("code", code).put("message", getMessage());
        if (!data.isMissingNode()) {
            json.set("data", data);
        }
        return json;
    }
}
