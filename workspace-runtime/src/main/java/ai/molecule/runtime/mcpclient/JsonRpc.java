package ai.molecule.runtime.mcpclient;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;

/** What both transports know of the messages they carry. */
final class JsonRpc {

    static final ObjectMapper JSON = new ObjectMapper();

    private static final int METHOD_NOT_FOUND = -32601;

    private JsonRpc() {}

    static ObjectNode request(long id, String method, ObjectNode params) {
        ObjectNode request =
                JSON.createObjectNode().put("jsonrpc", "2.0").put("id", id).put("method", method);
        request.set("params", params);
        return request;
    }

    static ObjectNode notification(String method, ObjectNode params) {
        ObjectNode notification = JSON.createObjectNode().put("jsonrpc", "2.0").put("method", method);
        notification.set("params", params);
        return notification;
    }

    /** A missing node for what is no JSON. */
    static JsonNode read(byte[] bytes) {
        try {
            return JSON.readTree(bytes);
        } catch (IOException notJson) {
            return MissingNode.getInstance();
        }
    }

    static boolean isAnswer(JsonNode message) {
        return message.hasNonNull("id") && (message.has("result") || message.has("error"));
    }

    static boolean saysToolsChanged(JsonNode message) {
        return message.path("method").asText().equals("notifications/tools/list_changed");
    }

    /** What a request of a server is answered with, which may only ask whether somebody is there; empty for what is none. */
    static Optional<ObjectNode> reactionTo(JsonNode message) {
        if (!message.hasNonNull("id") || !message.path("method").isTextual()) {
            return Optional.empty();
        }
        ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", message.path("id"));
        if (message.path("method").asText().equals("ping")) {
            answer.putObject("result");
        } else {
            answer.putObject("error").put("code", METHOD_NOT_FOUND).put("message", "not supported");
        }
        return Optional.of(answer);
    }
}
