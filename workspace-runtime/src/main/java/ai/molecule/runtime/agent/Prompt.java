package ai.molecule.runtime.agent;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A message to be answered.
 *
 * @param taskId the task the answer will belong to
 * @param contextId the same for all messages of one conversation
 * @param text the message's text parts joined by a space; never blank
 * @param message the whole A2A message as it was sent
 * @param metadata the request's {@code params.metadata}; a missing node when there was none
 */
public record Prompt(String taskId, String contextId, String text, JsonNode message, JsonNode metadata) {

    /**
     * Whether this is what the agent is told once, at the beginning: nothing is handed on to others then, because they may
     * just be starting too.
     */
    public boolean isInitial() {
        return message.path("messageId").asText("").startsWith("initial-");
    }
}
