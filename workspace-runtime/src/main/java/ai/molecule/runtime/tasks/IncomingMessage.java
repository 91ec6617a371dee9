package ai.molecule.runtime.tasks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * A message as somebody sent it.
 *
 * @param messageId the sender's key: the same message never runs twice
 * @param contextId the conversation it continues
 * @param taskId the task it claims to continue
 * @param text its text parts joined by a space; may be blank
 * @param message the whole message
 * @param metadata {@code params.metadata}, or a missing node
 * @param heldBytes about how much memory all of this takes while the task runs
 * @param sender the workspace that sent it, where one says so
 */
public record IncomingMessage(
        String messageId,
        Optional<String> contextId,
        Optional<String> taskId,
        String text,
        JsonNode message,
        JsonNode metadata,
        long heldBytes,
        Optional<String> sender) {

    /** From nobody who says who it is. */
    public IncomingMessage(
            String messageId,
            Optional<String> contextId,
            Optional<String> taskId,
            String text,
            JsonNode message,
            JsonNode metadata,
            long heldBytes) {
        this(messageId, contextId, taskId, text, message, metadata, heldBytes, Optional.empty());
    }

    /** The message as the task's history shows it: complete by the published protocol, whatever its sender left out. */
    String asHistory(String task, String context) {
        ObjectNode complete = JsonNodeFactory.instance.objectNode();
        message.properties().forEach(field -> complete.set(field.getKey(), field.getValue()));
        return complete.put("kind", "message")
                .put("messageId", messageId)
                .put("taskId", task)
                .put("contextId", context)
                .toString();
    }

    /** Tells two messages with one id apart. Only what is said counts: whoever repeats a message may add to the rest of it. */
    long fingerprint() {
        return ((long) message.path("parts").hashCode() << 32) | text.length();
    }
}
