package ai.molecule.runtime.skills;

import ai.molecule.sdk.BoundedYaml;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** YAML that describes something; what is no mapping says nothing. */
record FrontMatter(Map<?, ?> values) {

    static FrontMatter of(String yaml) {
        try {
            Object parsed = BoundedYaml.parse(yaml, false);
            return new FrontMatter(parsed instanceof Map<?, ?> map ? map : Map.of());
        } catch (IllegalArgumentException malformed) {
            return new FrontMatter(Map.of());
        }
    }

    String text(String key) {
        Object value = values.get(key);
        return value instanceof String || value instanceof Number
                ? String.valueOf(value).strip()
                : "";
    }

    /** What is no mapping is an empty one. */
    Map<?, ?> section(String key) {
        return values.get(key) instanceof Map<?, ?> section ? section : Map.of();
    }

    /** A single text counts as a list of one. */
    List<String> texts(String key) {
        if (values.get(key) instanceof List<?> list) {
            List<String> texts = new ArrayList<>();
            list.forEach(item -> texts.add(String.valueOf(item).strip()));
            return texts;
        }
        return text(key).isEmpty() ? List.of() : List.of(text(key));
    }

    /** Whether it says nothing of runtimes, or names this one; {@code -} and {@code _} are the same, {@code *} is all. */
    boolean suits(String key, String runtime) {
        List<String> named = texts(key).stream().map(FrontMatter::plain).toList();
        return named.isEmpty() || named.contains("*") || named.contains(plain(runtime));
    }

    private static String plain(String runtime) {
        return runtime.toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
