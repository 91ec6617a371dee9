package ai.molecule.provisioner.organisations;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A channel that is written down, but does not come to life in this version of the platform, and why.
 *
 * @param what its type
 */
record Skipped(String what, String reason) {

    static List<Skipped> channels(JsonNode workspace) {
        List<Skipped> skipped = new ArrayList<>();
        workspace
                .path("channels")
                .forEach(node -> skipped.add(new Skipped(
                        node.path("type").asText(), reason(node.path("type").asText()))));
        return List.copyOf(skipped);
    }

    /** A channel is a person's and not an agent's here, and its secret is in no organisation's file. */
    private static String reason(String type) {
        return switch (type) {
            case "telegram" ->
                "people are known there, by a code of their own: molecule target bot --set, then Link Telegram on the page";
            case "slack", "webhook", "ntfy", "email" ->
                "who is told is said for the platform: molecule target add NAME " + type;
            default -> "there is no channel of that type";
        };
    }

    /** As a member of the answer: {@code {"workspace", "type", "reason"}}. */
    Map<String, String> toJson(String workspace) {
        return Map.of("workspace", workspace, "type", what, "reason", reason);
    }
}
