package ai.molecule.runtime.a2a;

/**
 * Every error of JSON-RPC 2.0 and of A2A: its code, and what HTTP+JSON calls it, as 5.4 of A2A 1.0.1 has them (1.0.0 had 409, 415 and 502 for three).
 * Those of A2A give their name as the reason.
 */
enum A2aError {
    PARSE_ERROR(-32700, 400, "INVALID_ARGUMENT"),
    INVALID_REQUEST(-32600, 400, "INVALID_ARGUMENT"),
    METHOD_NOT_FOUND(-32601, 404, "NOT_FOUND"),
    INVALID_PARAMS(-32602, 400, "INVALID_ARGUMENT"),
    INTERNAL(-32603, 500, "INTERNAL"),
    TASK_NOT_FOUND(-32001, 404, "NOT_FOUND"),
    TASK_NOT_CANCELABLE(-32002, 400, "FAILED_PRECONDITION"),
    PUSH_NOTIFICATION_NOT_SUPPORTED(-32003, 400, "FAILED_PRECONDITION"),
    UNSUPPORTED_OPERATION(-32004, 400, "FAILED_PRECONDITION"),
    CONTENT_TYPE_NOT_SUPPORTED(-32005, 400, "INVALID_ARGUMENT"),
    EXTENDED_AGENT_CARD_NOT_CONFIGURED(-32007, 400, "FAILED_PRECONDITION"),
    VERSION_NOT_SUPPORTED(-32009, 400, "FAILED_PRECONDITION");

    private static final int FIRST_OF_A2A = -32099;

    private final int code;
    private final int httpStatus;
    private final String status;

    A2aError(int code, int httpStatus, String status) {
        this.code = code;
        this.httpStatus = httpStatus;
        this.status = status;
    }

    int code() {
        return code;
    }

    /** Of an answer in HTTP+JSON; in JSON-RPC it is 200. */
    int httpStatus() {
        return httpStatus;
    }

    /** As {@code google.rpc.Code} names it. */
    String status() {
        return status;
    }

    /** Whether it is the protocol's own, and not one of JSON-RPC. */
    boolean isOfA2a() {
        return code >= FIRST_OF_A2A;
    }
}
