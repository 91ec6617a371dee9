package ai.molecule.registry.approvals;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Behalf;
import ai.molecule.common.bus.registry.DecideApproval;
import ai.molecule.common.json.Json;
import ai.molecule.registry.deciders.Deciders;
import ai.molecule.registry.deciders.Requirement;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who must decide an approval, and who has. Without a requirement the first decision counts, whoever's it is. Pure.
 *
 * @param askers the logins of those who asked for it, who do not decide it where a rule says who does
 * @param guessed whether they are those who may have asked, because the agent did not say who did
 * @param escalatesAt from when others may decide, too; null for never
 * @param escalatedAt since when they may; null while they may not
 */
record Ballot(
        @Nullable Requirement requirement,
        List<Vote> votes,
        Set<String> askers,
        boolean guessed,
        @Nullable Instant escalatesAt,
        @Nullable Instant escalatedAt) {

    /** As a row has them: JSON texts, and null for what it has not. */
    static Ballot of(
            @Nullable String deciders,
            @Nullable String votes,
            Set<String> askers,
            boolean guessed,
            @Nullable Instant escalatesAt,
            @Nullable Instant escalatedAt) {
        return new Ballot(
                deciders == null ? null : Requirement.of(Json.stored(deciders)),
                Json.stored(votes).valueStream().map(Vote::of).toList(),
                askers,
                guessed,
                escalatesAt,
                escalatedAt);
    }

    /** @param others who may have asked, where neither of the two says who did */
    static Set<String> askers(@Nullable String askedBy, @Nullable Behalf behalf, Collection<String> others) {
        Set<String> logins = new TreeSet<>(others);
        if (askedBy != null) {
            logins.add(askedBy);
        }
        if (behalf != null) {
            Behalf.login(behalf.principal()).ifPresent(logins::add);
        }
        return logins;
    }

    /** Throws FORBIDDEN for who may not decide, and CONFLICT for who has approved already and does so again. */
    void check(Decision decision) {
        if (requirement == null) {
            return;
        }
        var decider = decision.decider();
        if (decider == null) {
            throw refusal("%s, and this credential names nobody: sign in as a person".formatted(only()));
        }
        if (askers.contains(decider.login())) {
            String others = deciders().words(askers);
            throw refusal("%s, so you do not decide it: %s may (%s)"
                    .formatted(
                            guessed
                                    ? "the agent does not say who asked for this, and you may have"
                                    : "you asked for this",
                            others.isEmpty() ? "nobody else" : others,
                            rule()));
        }
        if (!deciders().include(decider.login(), decider.there())) {
            throw refusal(only());
        }
        if (decision.approved() && approvedBy().contains(decider.login())) {
            throw new ApiError(
                    ApiError.Kind.CONFLICT,
                    "you approved this already: " + waits(),
                    Map.of(DecideApproval.CODE, DecideApproval.APPROVED_ALREADY));
        }
    }

    private static ApiError refusal(String why) {
        return new ApiError(ApiError.Kind.FORBIDDEN, why, Map.of(DecideApproval.CODE, DecideApproval.NOT_A_DECIDER));
    }

    private String only() {
        String may = deciders().words(askers);
        return "only %s may decide this (%s)"
                .formatted(may.isEmpty() ? "somebody else than who asked for it" : may, rule());
    }

    private String rule() {
        return "approval rule " + (requirement == null ? "" : requirement.rule());
    }

    private Deciders deciders() {
        return requirement == null ? new Deciders(List.of(), null) : requirement.deciders(escalatedAt != null);
    }

    /** With one more; whoever approved and denies now has denied. */
    Ballot with(Vote vote) {
        var others = requirement == null
                ? Stream.<Vote>empty()
                : votes.stream().filter(earlier -> !earlier.by().equals(vote.by()));
        return holding(Stream.concat(others, Stream.of(vote)).toList());
    }

    /** Without that person's; the same where it has none. */
    Ballot without(@Nullable String login) {
        return holding(votes.stream().filter(vote -> !vote.by().equals(login)).toList());
    }

    Ballot holding(List<Vote> others) {
        return new Ballot(requirement, others, askers, guessed, escalatesAt, escalatedAt);
    }

    /** Whether that is enough: one denial is. */
    boolean isDecided() {
        return votes.stream().anyMatch(vote -> !vote.approves()) || approvedBy().size() >= needed();
    }

    private int needed() {
        return requirement == null ? 1 : requirement.approvals();
    }

    private List<String> approvedBy() {
        return votes.stream().filter(Vote::approves).map(Vote::by).distinct().toList();
    }

    /** {@code 1 of 2 approved, waits for lee or an owner}; of one that needs a single approval whom it waits for. */
    String waits() {
        var approved = approvedBy();
        String others = deciders()
                .words(Stream.concat(askers.stream(), approved.stream()).toList());
        String whom = others.isEmpty() ? "nobody is left who may decide it" : "waits for " + others;
        return needed() == 1 ? whom : "%d of %d approved, %s".formatted(approved.size(), needed(), whom);
    }

    ArrayNode votesJson() {
        var kept = Json.MAPPER.createArrayNode();
        votes.forEach(vote -> kept.add(vote.toJson()));
        return kept;
    }

    /** {@code {"rule", "people", "role", "approvals", "escalation", "escalates_at", "escalated_at", "approved_by", "askers", "waits"}}; JSON null without a rule. */
    JsonNode toJson() {
        if (requirement == null) {
            return Json.MAPPER.nullNode();
        }
        ObjectNode body = requirement
                .toJson()
                .put("escalates_at", Json.timeOrNull(escalatesAt))
                .put("escalated_at", Json.timeOrNull(escalatedAt));
        approvedBy().forEach(body.putArray("approved_by")::add);
        askers.forEach(body.putArray("askers")::add);
        return body.put("waits", waits());
    }
}
