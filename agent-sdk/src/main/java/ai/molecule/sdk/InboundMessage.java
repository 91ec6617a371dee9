package ai.molecule.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.Optional;

/**
 * A message to this agent, however it was delivered. No part is null; what is not known is empty.
 *
 * <pre>{@code
 * String greeting = message.peerName().isEmpty() ? "Hello" : "Hello " + message.peerName();
 * }</pre>
 *
 * @param activityId the platform's row, or for a pushed message the sender's messageId: the same message has the same id
 * @param sourceId the peer's workspace id; empty for a person
 * @param text the text parts, one per line
 * @param raw what was received, unchanged: an activity row, or the pushed request
 * @param peerName as the platform lists the peer; may be empty even for a peer
 * @param agentCardUrl where the peer can be discovered
 */
public record InboundMessage(
        String activityId,
        InboundSource source,
        String sourceId,
        String text,
        JsonNode raw,
        String peerName,
        String peerRole,
        String agentCardUrl) {

    /** Reads an activity row; empty for what is no object or has no id. Older rows without {@code data} become {@code UNKNOWN}. */
    static Optional<InboundMessage> fromRow(JsonNode row) {
        String id = text(row, "id");
        if (id.isEmpty()) {
            return Optional.empty();
        }
        JsonNode data = row.path("data").isObject() ? row.path("data") : MissingNode.getInstance();
        String sourceId = firstOf(text(row, "source_id"), text(data, "source_id"));
        return Optional.of(new InboundMessage(
                id,
                source(firstOf(text(data, "source"), text(row, "source")), sourceId),
                sourceId,
                firstOf(text(data, "text"), text(data, "message")),
                row,
                text(data, "peer_name"),
                text(data, "peer_role"),
                text(data, "agent_card_url")));
    }

    private static InboundSource source(String kind, String sourceId) {
        return switch (kind) {
            case "canvas_user", "user" -> InboundSource.CANVAS_USER;
            case "peer_agent" -> InboundSource.PEER_AGENT;
            default ->
                switch (sourceId) {
                    case "" -> InboundSource.UNKNOWN;
                    case "user" -> InboundSource.CANVAS_USER;
                    default -> InboundSource.PEER_AGENT;
                };
        };
    }

    private static String firstOf(String one, String other) {
        return one.isEmpty() ? other : one;
    }

    private static String text(JsonNode object, String key) {
        String text = object.path(key).textValue();
        return text == null ? "" : text;
    }
}
