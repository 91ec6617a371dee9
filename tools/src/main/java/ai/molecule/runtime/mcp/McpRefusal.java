package ai.molecule.runtime.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A message is answered with an error of JSON-RPC's or MCP's. */
final class McpRefusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL_ERROR = -32603;

    /** Of revision 2026-07-28. */
    static final int HEADER_MISMATCH = -32020;

    static final int MISSING_CAPABILITY = -32021;

    static final int UNSUPPORTED_VERSION = -32022;

    /** Of the codes that every server gives a meaning of its own. */
    static final int BUSY = -32000;

    private final int code;
    private final transient ObjectNode data;

    private McpRefusal(int code, String message, ObjectNode data) {
        super(message, null, false, false);
        this.code = code;
        this.data = data;
    }

    static McpRefusal of(int code, String message) {
        return new McpRefusal(code, message, JsonNodeFactory.instance.objectNode());
    }

    static McpRefusal unsupported(String asked) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        McpRevisions.ALL.forEach(data.putArray("supported")::add);
        return new McpRefusal(UNSUPPORTED_VERSION, "Unsupported protocol version", data.put("requested", asked));
    }

    /** @param extension that the client did not say it knows */
    static McpRefusal missing(String extension) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        data.putObject("requiredCapabilities").putObject("extensions").putObject(extension);
        return new McpRefusal(MISSING_CAPABILITY, "Missing required client capability", data);
    }

    int code() {
        return code;
    }

    /** @param id of the request; a null node where it could not be read */
    ObjectNode answerTo(JsonNode id) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode().put("jsonrpc", "2.0");
        answer.set("id", id);
        ObjectNode error = answer.putObject("error").put("code", code).put("message", getMessage());
        if (!data.isEmpty()) {
            error.set("data", data);
        }
        return answer;
    }
}
