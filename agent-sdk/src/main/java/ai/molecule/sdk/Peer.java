package ai.molecule.sdk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/**
 * Another workspace this one may talk to, as the platform lists it.
 *
 * <pre>{@code
 * for (Peer peer : client.getPeers()) {
 *     System.out.println(peer.name() + ": " + peer.role());
 * }
 * }</pre>
 *
 * @param role empty when the platform has none
 * @param tier 2 when the platform does not say
 * @param status {@code unknown} when the platform does not say
 * @param url the address the platform knows; may be empty and may not be reachable from here: ask
 *     {@link PlatformClient#discover} before calling
 * @param agentCard an empty object when the peer has not published one
 * @param parentId empty for a root, and where the platform does not say
 */
public record Peer(
        String id, String name, String role, int tier, String status, String url, JsonNode agentCard, String parentId) {

    static Peer fromJson(JsonNode row) {
        JsonNode card = cardOf(row.path("agent_card"));
        return new Peer(
                row.path("id").asText(),
                row.path("name").asText(""),
                textOr("", row.path("role")),
                row.path("tier").asInt(2),
                textOr("unknown", row.path("status")),
                textOr("", row.path("url")),
                card,
                textOr("", row.path("parent_id")));
    }

    /** Older platforms put the card into a text. */
    private static JsonNode cardOf(JsonNode value) {
        try {
            JsonNode card = value.isTextual() ? PlatformHttp.JSON.readTree(value.textValue()) : value;
            return card.isObject() ? card : JsonNodeFactory.instance.objectNode();
        } catch (JsonProcessingException notJson) {
            return JsonNodeFactory.instance.objectNode();
        }
    }

    private static String textOr(String fallback, JsonNode value) {
        return value.isTextual() ? value.textValue() : fallback;
    }
}
