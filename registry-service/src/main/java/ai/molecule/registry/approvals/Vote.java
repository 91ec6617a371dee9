package ai.molecule.registry.approvals;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/**
 * What one person, or credential, decided.
 *
 * @param by as {@link Decision} has it, like {@code with}, {@code decision} and {@code shown}
 * @param digest of the row as it then stood
 */
record Vote(String by, String with, String decision, String digest, String shown, Instant at) {

    static Vote of(Decision decision, String digest, Instant now) {
        return new Vote(decision.decidedBy(), decision.decidedWith(), decision.status(), digest, decision.shown(), now);
    }

    /** As {@link #toJson} wrote it. */
    static Vote of(JsonNode kept) {
        return new Vote(
                kept.path("by").asText(),
                kept.path("with").asText(),
                kept.path("decision").asText(),
                kept.path("digest").asText(),
                kept.path("shown").asText(),
                Instant.parse(kept.path("at").asText()));
    }

    boolean approves() {
        return decision.equals("approved");
    }

    ObjectNode toJson() {
        return Json.object()
                .put("by", by)
                .put("with", with)
                .put("decision", decision)
                .put("digest", digest)
                .put("shown", shown)
                .put("at", Json.time(at));
    }
}
