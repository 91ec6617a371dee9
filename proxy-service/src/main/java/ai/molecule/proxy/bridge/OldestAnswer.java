package ai.molecule.proxy.bridge;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.protocol.AnswerWords;
import ai.molecule.proxy.protocol.TaskState;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.UUID;

/** What a task has to say as the one message that the oldest clients read (decision 31). */
final class OldestAnswer {

    private OldestAnswer() {}

    /** @param told a task or message of 0.3 */
    static JsonNode of(JsonNode told) {
        if (!told.path("kind").asText().equals("task")) {
            return told;
        }
        ObjectNode message = Json.object()
                .put("kind", "message")
                .put("role", "agent")
                .put("messageId", UUID.randomUUID().toString());
        message.set("taskId", told.path("id"));
        if (told.has("contextId")) {
            message.set("contextId", told.get("contextId"));
        }
        ArrayNode parts = message.putArray("parts");
        String words = AnswerWords.of(told);
        if (!words.isEmpty()) {
            parts.addObject().put("kind", "text").put("text", words); // they read the first part alone
        }
        AnswerWords.parts(told)
                .forEach(spoken -> spoken.forEach(part -> {
                    if (!part.has("text")) {
                        parts.add(part);
                    }
                }));
        String state = told.path("status").path("state").asText();
        if (parts.isEmpty()) {
            parts.addObject().put("kind", "text").put("text", "The agent's task is " + state + ".");
        }
        if (!state.equals(TaskState.COMPLETED.wire())) {
            message.putObject("metadata").put("task_state", state);
        }
        return message;
    }
}
