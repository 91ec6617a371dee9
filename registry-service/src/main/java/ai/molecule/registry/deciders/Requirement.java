package ai.molecule.registry.deciders;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a rule demands of a decision. An approval keeps that of the rule it was asked under: changing the rule changes what is asked later.
 *
 * @param rule its name
 * @param approvals how many different people have to approve, 1 or 2
 * @param escalation null where nobody else may decide, however long it takes
 */
public record Requirement(
        String rule,
        Deciders deciders,
        int approvals,
        @Nullable Escalation escalation) {

    private static final int APPROVALS_MAX = 2;

    /** @param deciders who may decide, too, once it is over */
    public record Escalation(int afterMinutes, Deciders deciders) {

        private static final long AFTER_MAX_MINUTES = Duration.ofDays(30).toMinutes();

        private static Escalation read(ObjectNode body) {
            var after = body.path("after_minutes");
            if (!after.canConvertToInt() || after.intValue() < 1 || after.intValue() > AFTER_MAX_MINUTES) {
                throw ApiError.invalid(
                        "escalation.after_minutes must be between 1 and %d".formatted(AFTER_MAX_MINUTES));
            }
            return new Escalation(after.intValue(), Deciders.read(body, "escalation"));
        }

        private ObjectNode toJson() {
            return deciders.putIn(Json.object().put("after_minutes", afterMinutes));
        }
    }

    /** Of a body's {@code deciders}, {@code approvals} and {@code escalation}; fails with INVALID. */
    static Requirement read(String rule, JsonBody body) {
        long approvals = body.integer("approvals", 1);
        if (approvals < 1 || approvals > APPROVALS_MAX) {
            throw ApiError.invalid("approvals must be 1 or 2");
        }
        var said = body.object("escalation");
        var required = new Requirement(
                rule,
                Deciders.read(body.object("deciders"), "deciders"),
                (int) approvals,
                said == null ? null : Escalation.read(said));
        var all = required.deciders(true);
        if (all.role() == null && all.people().size() < approvals) {
            throw ApiError.invalid("two approvals need two people: name another one, or a role");
        }
        return required;
    }

    /** As {@link #toJson} wrote it. */
    public static Requirement of(JsonNode kept) {
        var later = kept.path("escalation");
        return new Requirement(
                kept.path("rule").asText(),
                Deciders.of(kept),
                kept.path("approvals").asInt(1),
                later.isObject() ? new Escalation(later.path("after_minutes").asInt(), Deciders.of(later)) : null);
    }

    /** Who may decide, before or after the escalation. */
    public Deciders deciders(boolean escalated) {
        return escalated && escalation != null ? deciders.and(escalation.deciders) : deciders;
    }

    /** When somebody else may decide, too; null for never. */
    public @Nullable Instant escalatesAt(Instant asked) {
        return escalation == null ? null : asked.plus(Duration.ofMinutes(escalation.afterMinutes));
    }

    /** All who are named, for whether there are such people. */
    List<String> people() {
        return Stream.concat(
                        deciders.people().stream(),
                        Stream.ofNullable(escalation).flatMap(later -> later.deciders.people().stream()))
                .distinct()
                .toList();
    }

    /** {@code {"rule", "people", "role", "approvals", "escalation"}}. */
    public ObjectNode toJson() {
        var body = deciders.putIn(Json.object().put("rule", rule)).put("approvals", approvals);
        body.set("escalation", escalation == null ? Json.MAPPER.nullNode() : escalation.toJson());
        return body;
    }
}
