package ai.molecule.registry.lifecycle;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** An event to be appended to the log in the transaction of the change it tells. */
public record RecordedEvent(String type, ObjectNode payload) {

    public static RecordedEvent of(String type) {
        return new RecordedEvent(type, Json.object());
    }
}
