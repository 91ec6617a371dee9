package ai.molecule.registry.notkept;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;

/** What nobody keeps here, by the last segment of its path. */
public enum NotKept {
    CHANNELS("Channels to chat programs are not part of this platform."),
    TRACES("Traces go to the OpenTelemetry collector that the operator names.");

    private final String why;

    NotKept(String why) {
        this.why = why;
    }

    /** {@code /workspaces/:id/…}. */
    public String path() {
        return "/workspaces/:id/" + name().toLowerCase(Locale.ROOT);
    }

    String why() {
        return why;
    }

    /** None, in the shape that clients read. */
    JsonNode none() {
        return Json.MAPPER.createArrayNode();
    }
}
