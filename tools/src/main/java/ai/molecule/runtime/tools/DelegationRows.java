package ai.molecule.runtime.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Delegations as they ended. An agent that speaks the older dialect can say that it failed in words alone, which the platform
 * lists as an answer: here such a delegation has failed, with those words as its error.
 */
public final class DelegationRows {

    /** What the words of a failure begin with. */
    public static final String FAILURE = "Agent error:";

    /** What the id of a message begins with that hands something on to a peer whose answer is waited for: no row tells of it. */
    public static final String MESSAGE_ID = "delegate-";

    private DelegationRows() {}

    /** The platform's list, its request and its outcome of each an object, in its order. */
    public static List<ObjectNode> of(JsonNode list) {
        List<ObjectNode> rows = new ArrayList<>();
        Map<String, String> failures = new HashMap<>();
        for (JsonNode each : list) {
            if (each instanceof ObjectNode row) {
                rows.add(row.deepCopy());
                String said = row.path("response_preview").asText("");
                if (isCompleted(row) && said.startsWith(FAILURE)) {
                    failures.put(row.path("delegation_id").asText(), said);
                }
            }
        }
        for (ObjectNode row : rows) {
            String failure = failures.get(row.path("delegation_id").asText());
            if (failure != null && isCompleted(row)) {
                row.put("status", "failed").put("error", failure).remove("response_preview");
            }
        }
        return rows;
    }

    private static boolean isCompleted(ObjectNode row) {
        return row.path("status").asText().equals("completed");
    }
}
