package ai.molecule.runtime.a2a;

import ai.molecule.runtime.tasks.IncomingMessage;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.UUID;

/**
 * Reads the parameters of {@code message/send} and its streaming forms. What clients put into parts is kept and not
 * judged, for two generations of them name its fields differently.
 */
final class MessageParams {

    private static final long NODE_BYTES = 128;

    private MessageParams() {}

    /** @throws RpcError -32602 naming what is missing or malformed */
    static IncomingMessage read(JsonNode params, Dialect dialect, Optional<String> sender) {
        JsonNode message = params.path("message");
        if (!message.isObject()) {
            throw RpcError.invalidParams("message is required");
        }
        String role = message.path("role").textValue();
        if (!"user".equals(role) && !"agent".equals(role)) {
            throw RpcError.invalidParams("message.role must be user or agent");
        }
        if (!message.path("parts").isArray() || message.path("parts").isEmpty()) {
            throw RpcError.invalidParams("message.parts must be a list of at least one part");
        }
        return new IncomingMessage(
                messageId(message, dialect),
                RpcRequest.text(message, "contextId"),
                RpcRequest.text(message, "taskId"),
                text(message.path("parts")),
                message,
                params.path("metadata"),
                bytesHeldBy(params),
                sender);
    }

    /** An estimate on the safe side: a tree can be many times as large as the text it came from. */
    static long bytesHeldBy(JsonNode node) {
        long bytes = NODE_BYTES + 2L * node.asText("").length();
        for (JsonNode child : node) {
            bytes += bytesHeldBy(child);
        }
        return bytes;
    }

    /** The platform's old clients may leave it out; such a message cannot be recognised when it comes again. */
    private static String messageId(JsonNode message, Dialect dialect) {
        Optional<String> id = RpcRequest.text(message, "messageId");
        if (id.isEmpty() && dialect == Dialect.PUBLISHED) {
            throw RpcError.invalidParams("message.messageId is required");
        }
        return id.orElseGet(() -> UUID.randomUUID().toString());
    }

    static String text(JsonNode parts) {
        var text = new StringJoiner(" ");
        for (JsonNode part : parts) {
            JsonNode value =
                    part.has("text") ? part.path("text") : part.path("root").path("text");
            if (value.isTextual()) {
                text.add(value.textValue());
            }
        }
        return text.toString();
    }
}
