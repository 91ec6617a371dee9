package ai.molecule.registry.deciders;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import ai.molecule.registry.policy.PolicyLanguage;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A rule about who decides.
 *
 * @param teamName of the workspace that {@code words} name; null for the organization
 */
record ApprovalRule(Words words, @Nullable String teamName, Instant createdAt, Instant updatedAt) {

    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,62}");

    /**
     * What is said of one; its name is that of its requirement.
     *
     * @param team the workspace that it holds for with all below it; null for the organization
     * @param priority of several rules that are for an approval the one with the highest counts, of several of these the first by name
     * @param when CEL that answers whether it is for an approval
     */
    record Words(@Nullable UUID team, int priority, String when, Requirement requirement) {

        private static final int PRIORITY_MAX = 1_000;

        /** Fails with INVALID. Whether it compiles is seen elsewhere. */
        static Words read(String name, JsonBody body) {
            if (!NAME.matcher(name).matches()) {
                throw ApiError.invalid(
                        "a rule's name is of small letters, digits and -, at most 63, and begins with a letter");
            }
            String when = body.text("when", "");
            if (when.isBlank()) {
                throw ApiError.invalid("when is required");
            }
            if (when.length() > PolicyLanguage.EXPRESSION_MAX_CHARS) {
                throw ApiError.invalid("when exceeds %d chars".formatted(PolicyLanguage.EXPRESSION_MAX_CHARS));
            }
            long priority = body.integer("priority", 0);
            if (priority < 0 || priority > PRIORITY_MAX) {
                throw ApiError.invalid("priority must be between 0 and %d".formatted(PRIORITY_MAX));
            }
            String team = body.text("team");
            return new Words(
                    team == null
                            ? null
                            : Ids.find(team).orElseThrow(() -> ApiError.invalid("team must be the id of a workspace")),
                    (int) priority,
                    when,
                    Requirement.read(name, body));
        }
    }

    String name() {
        return words.requirement.rule();
    }

    /** @param branches the agent that asks, and all above it */
    boolean isFor(Set<UUID> branches) {
        return words.team == null || branches.contains(words.team);
    }

    /** {@code {"name", "team", "team_name", "priority", "when", "deciders", "approvals", "escalation", "created_at", "updated_at"}}. */
    ObjectNode toJson() {
        var body = Json.object()
                .put("name", name())
                .put("team", words.team == null ? null : words.team.toString())
                .put("team_name", teamName)
                .put("priority", words.priority)
                .put("when", words.when);
        body.set("deciders", words.requirement.deciders().toJson());
        var required = words.requirement.toJson();
        body.put("approvals", words.requirement.approvals()).set("escalation", required.path("escalation"));
        return body.put("created_at", Json.time(createdAt)).put("updated_at", Json.time(updatedAt));
    }
}
