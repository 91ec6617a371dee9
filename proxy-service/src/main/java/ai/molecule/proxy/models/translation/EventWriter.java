package ai.molecule.proxy.models.translation;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Writes the events of one stream. */
interface EventWriter {

    void write(NeutralEvent event, StringBuilder out);

    /** Characters that are kept until the end, because it says them again. */
    default long heldBytes() {
        return 0;
    }

    /** An event whose name is the type that its data has. */
    static void named(ObjectNode data, StringBuilder out) {
        out.append("event: ").append(data.path("type").asText("")).append('\n');
        unnamed(data, out);
    }

    static void unnamed(ObjectNode data, StringBuilder out) {
        out.append("data: ").append(Json.text(data)).append("\n\n");
    }
}
