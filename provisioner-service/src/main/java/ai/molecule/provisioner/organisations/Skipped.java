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
                .forEach(node -> skipped.add(
                        new Skipped(node.path("type").asText(), "channels are not connected by this version")));
        return List.copyOf(skipped);
    }

    /** As a member of the answer: {@code {"workspace", "type", "reason"}}. */
    Map<String, String> toJson(String workspace) {
        return Map.of("workspace", workspace, "type", what, "reason", reason);
    }
}
