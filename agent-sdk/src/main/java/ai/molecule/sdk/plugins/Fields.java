package ai.molecule.sdk.plugins;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A mapping out of a YAML file, and what is wrong with its values: every check adds its complaints and goes on. */
final class Fields {

    private static final Set<String> RUNTIMES =
            Set.of("langgraph", "claude-code", "claude_code", "openclaw", "deepagents", "crewai", "autogen");

    private final Map<?, ?> values;
    private final String file;
    private final String where;
    private final List<Complaint> complaints;

    /** @param where stands before every complaint, such as {@code workspaces[0]: }; empty at the top */
    Fields(Map<?, ?> values, String file, String where, List<Complaint> complaints) {
        this.values = values;
        this.file = file;
        this.where = where;
        this.complaints = complaints;
    }

    /** The file's mapping; when it holds something else that is a complaint, and the mapping empty. */
    static Fields of(@Nullable Object yaml, String file, List<Complaint> complaints) {
        if (yaml instanceof Map<?, ?> map) {
            return new Fields(map, file, "", complaints);
        }
        complaints.add(new Complaint(file, "must be a mapping"));
        return new Fields(Map.of(), file, "", complaints);
    }

    Fields inside(Map<?, ?> inner, String name) {
        return new Fields(inner, file, where + name + ": ", complaints);
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    @Nullable
    Object get(String key) {
        return values.get(key);
    }

    void complain(String message) {
        complaints.add(new Complaint(file, where + message));
    }

    void requireText(String key) {
        if (!(get(key) instanceof String text) || text.isBlank()) {
            complain("'" + key + "' is required and must be text");
        }
    }

    void text(String... keys) {
        for (String key : keys) {
            check(key, get(key) instanceof String, "must be text");
        }
    }

    void textUpTo(String key, int maxChars) {
        if (get(key) instanceof String text && text.length() > maxChars) {
            complain("'" + key + "' must not be longer than " + maxChars + " characters");
        }
    }

    void scanForSecrets() {
        SecretScan.scan(values, "", this::complain);
    }

    void lists(String... keys) {
        for (String key : keys) {
            check(key, get(key) instanceof List, "must be a list");
        }
    }

    void listOfText(String key) {
        boolean texts = get(key) instanceof List<?> list && list.stream().allMatch(String.class::isInstance);
        check(key, texts, "must be a list of texts");
    }

    void mapping(String key) {
        check(key, get(key) instanceof Map, "must be a mapping");
    }

    void number(String key) {
        check(key, get(key) instanceof Number, "must be a number");
    }

    void bool(String key) {
        check(key, get(key) instanceof Boolean, "must be true or false");
    }

    void oneOf(String key, String... allowed) {
        check(
                key,
                get(key) instanceof String text && List.of(allowed).contains(text),
                "must be one of " + String.join(", ", allowed));
    }

    void tier() {
        Object tier = get("tier");
        check("tier", tier instanceof Integer number && number >= 1 && number <= 3, "must be 1, 2 or 3");
    }

    void runtime() {
        check(
                "runtime",
                get("runtime") instanceof String name && RUNTIMES.contains(name),
                "must be one of " + String.join(", ", sorted(RUNTIMES)));
    }

    private static String[] sorted(Set<String> names) {
        String[] array = names.toArray(new String[0]);
        Arrays.sort(array);
        return array;
    }

    /** A key that is absent or null is nobody's fault. */
    private void check(String key, boolean valid, String rule) {
        if (get(key) != null && !valid) {
            complain("'" + key + "' " + rule);
        }
    }
}
