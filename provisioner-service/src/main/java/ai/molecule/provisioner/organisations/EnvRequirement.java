package ai.molecule.provisioner.organisations;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/** An environment variable that must be set, or several of which one must. Names that cannot be one are left out. */
record EnvRequirement(SortedSet<String> anyOf) {

    private static final Pattern NAME = Pattern.compile("[A-Z][A-Z0-9_]{0,127}");

    /** A name, or {@code {"any_of": [names]}}; empty when no name is left. */
    static Optional<EnvRequirement> of(JsonNode node) {
        var names = node.isTextual() ? List.of(node) : node.path("any_of");
        SortedSet<String> kept = new TreeSet<>();
        names.forEach(name -> {
            if (NAME.matcher(name.asText()).matches()) {
                kept.add(name.asText());
            }
        });
        return kept.isEmpty() ? Optional.empty() : Optional.of(new EnvRequirement(kept));
    }

    static List<EnvRequirement> allOf(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(EnvRequirement::of)
                .flatMap(Optional::stream)
                .toList();
    }

    /** Each once; a group that a single name already satisfies is left out. Single names first, then groups, each sorted. */
    static List<EnvRequirement> union(Collection<EnvRequirement> all, Collection<EnvRequirement> stricter) {
        return all.stream()
                .distinct()
                .filter(one -> stricter.stream().noneMatch(strict -> strict.covers(one)))
                .filter(one ->
                        one.isSingle() || all.stream().noneMatch(single -> single.isSingle() && single.covers(one)))
                .sorted(Comparator.comparing((EnvRequirement one) -> !one.isSingle())
                        .thenComparing(one -> String.join(",", one.anyOf)))
                .toList();
    }

    boolean isMet(Set<String> present) {
        return anyOf.stream().anyMatch(present::contains);
    }

    JsonNode toJson() {
        return isSingle()
                ? JsonNodeFactory.instance.textNode(anyOf.first())
                : Json.object().set("any_of", Json.MAPPER.valueToTree(anyOf));
    }

    private boolean isSingle() {
        return anyOf.size() == 1;
    }

    /** Whether meeting this one meets the other too. */
    private boolean covers(EnvRequirement other) {
        return other.anyOf.containsAll(anyOf);
    }
}
