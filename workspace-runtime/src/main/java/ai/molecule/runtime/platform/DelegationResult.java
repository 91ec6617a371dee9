package ai.molecule.runtime.platform;

import ai.molecule.runtime.tools.Excerpt;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/**
 * What came of a delegation.
 *
 * @param status {@code completed} or {@code failed}
 * @param preview the beginning of the answer; empty when there is none
 * @param error why it failed; empty when it did not
 */
record DelegationResult(
        String delegationId,
        String targetId,
        String sourceId,
        String status,
        String summary,
        String preview,
        String error) {

    static DelegationResult of(JsonNode row) {
        return new DelegationResult(
                row.path("delegation_id").asText(""),
                row.path("target_id").asText(""),
                row.path("source_id").asText(""),
                row.path("status").asText(""),
                row.path("summary").asText(""),
                row.path("response_preview").asText(""),
                row.path("error").asText(""));
    }

    boolean isOver() {
        return status.equals("completed") || status.equals("failed");
    }

    /** As it is handed over to the agent. */
    ObjectNode toJson(Instant now) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("delegation_id", delegationId)
                .put("target_id", targetId)
                .put("source_id", sourceId)
                .put("status", status)
                .put("summary", summary)
                .put("response_preview", preview)
                .put("error", error)
                .put("timestamp", now.toString());
    }

    /** A line for the agent, without the answer: that is another's words, and comes where it is marked as such. */
    String line() {
        String line = "- [%s] Delegation %s: %s".formatted(status, cut(delegationId, 8), cut(summary, 80));
        return error.isEmpty() ? line : line + " Error: " + cut(error, 100);
    }

    /** What the user is shown. */
    String notice() {
        String notice = "Delegation " + status + ": " + cut(summary, 100);
        return preview.isEmpty() ? notice : notice + "\nResult: " + cut(preview, 200);
    }

    /** The beginning, on one line: what others wrote must not look like lines of ours. */
    static String cut(String text, int maxChars) {
        String line = text.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
        return Excerpt.of(line, maxChars);
    }
}
