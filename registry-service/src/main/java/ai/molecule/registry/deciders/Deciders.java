package ai.molecule.registry.deciders;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Role;
import ai.molecule.common.json.Json;
import ai.molecule.registry.people.Account;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who may decide: people by their logins, and whoever has a role at the agent when they decide.
 *
 * @param people at most 20, each once
 * @param role OPERATOR or OWNER; null for the people alone
 */
public record Deciders(List<String> people, @Nullable Role role) {

    static final int PEOPLE_MAX = 20;

    public Deciders {
        people = List.copyOf(people);
    }

    /** As {@link #putIn} wrote it. */
    static Deciders of(JsonNode kept) {
        return new Deciders(
                kept.path("people").valueStream().map(JsonNode::asText).toList(),
                Role.find(kept.path("role").textValue()).orElse(null));
    }

    /**
     * Of a body; fails with INVALID.
     *
     * @param member as the body calls it
     */
    static Deciders read(@Nullable ObjectNode body, String member) {
        if (body == null) {
            throw ApiError.invalid(member + " is required: name people, a role or both");
        }
        var people = people(body.path("people"), member);
        var role = role(body.path("role"), member);
        if (people.isEmpty() && role == null) {
            throw ApiError.invalid(member + " must name people, a role or both");
        }
        return new Deciders(people, role);
    }

    private static List<String> people(JsonNode named, String member) {
        boolean texts = named.isMissingNode()
                || named.isNull()
                || (named.isArray() && named.valueStream().allMatch(JsonNode::isTextual));
        if (!texts || named.size() > PEOPLE_MAX) {
            throw ApiError.invalid("%s.people must be a list of at most %d logins".formatted(member, PEOPLE_MAX));
        }
        return named.valueStream()
                .map(JsonNode::textValue)
                .map(Account::login)
                .distinct()
                .toList();
    }

    private static @Nullable Role role(JsonNode named, String member) {
        if (named.isMissingNode() || named.isNull()) {
            return null;
        }
        return Role.find(named.textValue())
                .filter(role -> role.covers(Role.OPERATOR))
                .orElseThrow(() -> ApiError.invalid(member + ".role must be operator or owner"));
    }

    /** @param there the role of that person at the agent */
    public boolean include(String login, Role there) {
        return people.contains(login) || (role != null && there.covers(role));
    }

    /** Both. */
    public Deciders and(Deciders others) {
        return new Deciders(
                Stream.concat(people.stream(), others.people.stream())
                        .distinct()
                        .toList(),
                Stream.concat(Stream.ofNullable(role), Stream.ofNullable(others.role))
                        .min(Role::compareTo) // which more people have
                        .orElse(null));
    }

    /** {@code kim, lee or an owner}; empty where nobody is left. */
    public String words(Collection<String> without) {
        var named = Stream.concat(
                        people.stream().filter(login -> !without.contains(login)),
                        Stream.ofNullable(role).map(some -> "an " + some.wire()))
                .toList();
        return named.size() < 2
                ? String.join("", named)
                : String.join(", ", named.subList(0, named.size() - 1)) + " or " + named.getLast();
    }

    /** {@code "people", "role"}. */
    ObjectNode putIn(ObjectNode body) {
        people.forEach(body.putArray("people")::add);
        return body.put("role", role == null ? null : role.wire());
    }

    ObjectNode toJson() {
        return putIn(Json.object());
    }
}
