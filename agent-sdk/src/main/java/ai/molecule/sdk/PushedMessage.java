package ai.molecule.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.UUID;

/** Reads what was posted to an agent, as JSON-RPC {@code message/send} or in the simple form of {@code /a2a/inbound}. */
final class PushedMessage {

    private PushedMessage() {}

    /**
     * @param sender the workspace that calls, from {@code X-Workspace-ID}; empty for a person
     * @throws IllegalArgumentException when there is no message with parts
     */
    static InboundMessage fromRpc(JsonNode request, String sender) {
        JsonNode message = request.path("params").path("message");
        if (!message.path("parts").isArray()) {
            throw new IllegalArgumentException("params.message.parts is required");
        }
        String text = String.join("\n", A2aAnswer.texts(message.path("parts")));
        return of(firstOf(message.path("messageId"), message.path("message_id")), sender, text, request);
    }

    /** {@code {"task_id","sender","message","idempotency_key"}}, all optional; the message is text or an A2A message. */
    static InboundMessage fromSimple(JsonNode payload, String sender) {
        JsonNode message = payload.path("message");
        String text =
                message.isTextual() ? message.textValue() : String.join("\n", A2aAnswer.texts(message.path("parts")));
        String named = payload.path("sender").asText("");
        return of(
                firstOf(payload.path("idempotency_key"), payload.path("task_id")),
                named.isEmpty() ? sender : named,
                text,
                payload);
    }

    private static InboundMessage of(String id, String sender, String text, JsonNode raw) {
        boolean person = sender.isEmpty() || sender.equals("user") || sender.equals("canvas_user");
        return new InboundMessage(
                id.isEmpty() ? UUID.randomUUID().toString() : id,
                person ? InboundSource.CANVAS_USER : InboundSource.PEER_AGENT,
                person ? "" : sender,
                text,
                raw,
                "",
                "",
                "");
    }

    private static String firstOf(JsonNode one, JsonNode other) {
        String text = one.asText("");
        return text.isEmpty() ? other.asText("") : text;
    }
}
