package ai.molecule.runtime.agent;

import ai.molecule.runtime.tools.DelegationRows;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.regex.Pattern;

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

    private static final Pattern PURPOSE = Pattern.compile("[A-Za-z0-9._:-]{1,128}");

    /**
     * What it is for, by its id: the delegation it came by; else the message, where an agent waits for what it handed on with it; else the
     * conversation. Empty when that is no id.
     */
    public Optional<String> purpose() {
        String messageId = message.path("messageId").asText("");
        String delegation = message.path("metadata")
                .path("delegation_id")
                .asText(metadata.path("delegation_id")
                        .asText(messageId.startsWith(DelegationRows.MESSAGE_ID) ? messageId : contextId));
        return Optional.of(delegation).filter(id -> PURPOSE.matcher(id).matches());
    }

    /**
     * Whether this is what the agent is told once, at the beginning: nothing is handed on to others then, because they may
     * just be starting too.
     */
    public boolean isInitial() {
        return message.path("messageId").asText("").startsWith("initial-");
    }
}
