package ai.molecule.common.approvals;

import ai.molecule.common.auth.Role;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who decides an approval, as the registry shows it to clients ({@code deciders}, docs/wire/registry.md). Nobody is offered a decision that the
 * registry would refuse; it decides all the same.
 *
 * @param people by their logins, those of the escalation too once it is over
 * @param role whoever has it at the agent decides, too; null for the people alone
 * @param askers who asked, or may have
 * @param approvedBy who approved already
 * @param waits for whom it waits, in words: {@code waits for lee or an owner}
 */
public record ShownDeciders(
        String rule,
        Set<String> people,
        @Nullable Role role,
        Set<String> askers,
        Set<String> approvedBy,
        String waits) {

    /** Empty where no rule says who decides. */
    public static Optional<ShownDeciders> of(JsonNode shown) {
        if (!shown.isObject()) {
            return Optional.empty();
        }
        var named = shown.path("escalated_at").isTextual() ? List.of(shown, shown.path("escalation")) : List.of(shown);
        Set<String> people = new HashSet<>();
        named.forEach(each -> people.addAll(texts(each.path("people"))));
        var role = named.stream()
                .flatMap(each -> Role.find(each.path("role").textValue()).stream())
                .min(Role::compareTo) // which more people have
                .orElse(null);
        return Optional.of(new ShownDeciders(
                shown.path("rule").asText(),
                people,
                role,
                texts(shown.path("askers")),
                texts(shown.path("approved_by")),
                shown.path("waits").asText()));
    }

    /**
     * Why that person does not decide, as a sentence; empty where they may, or where nobody knows.
     *
     * @param login null where the credential names nobody
     * @param there the role of that person at the agent; null where it is not known
     */
    public Optional<String> whyNot(@Nullable String login, @Nullable Role there) {
        if (login == null) {
            return Optional.of("You do not decide this: your credential names nobody. Sign in as a person.");
        }
        if (askers.contains(login)) {
            return Optional.of("You do not decide this: you asked for it, or may have.");
        }
        boolean byRole = role != null && (there == null || there.covers(role));
        return people.contains(login) || byRole
                ? Optional.empty()
                : Optional.of("You do not decide this: approval rule %s names others.".formatted(rule));
    }

    /** Whether that person approved it already; they may still deny it. */
    public boolean isApprovedBy(@Nullable String login) {
        return login != null && approvedBy.contains(login);
    }

    private static Set<String> texts(JsonNode array) {
        return Set.copyOf(array.valueStream()
                .flatMap(each -> Stream.ofNullable(each.textValue()))
                .toList());
    }
}
