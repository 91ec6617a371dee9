package ai.molecule.runtime;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** A section of {@code config.yaml}, read leniently where a person's spelling does no harm and strictly where it would. */
final class Settings {

    private final String path;
    private final Map<String, Object> values = new LinkedHashMap<>();
    private final Set<String> blank = new HashSet<>();

    Settings(Map<?, ?> yaml) {
        this("", yaml);
    }

    /** A section that was read before. @param path its name and a dot, for messages */
    static Settings of(String path, Map<?, ?> values) {
        return new Settings(path, values);
    }

    private Settings(String path, Map<?, ?> yaml) {
        this.path = path;
        yaml.forEach((key, value) -> {
            if (value != null) {
                values.put(String.valueOf(key), value);
            } else {
                blank.add(String.valueOf(key));
            }
        });
    }

    Map<String, Object> values() {
        return Map.copyOf(values);
    }

    /** Numbers and truth values count as the text they are written as: {@code version: 1.0} is a version. */
    String text(String key, String otherwise) {
        return String.valueOf(Objects.requireNonNullElse(values.get(key), otherwise))
                .strip();
    }

    int number(String key, int otherwise) {
        try {
            return Integer.parseInt(text(key, String.valueOf(otherwise)));
        } catch (NumberFormatException e) {
            throw notANumber(key);
        }
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    /** Whether the key is written with nothing behind it, which counts as absent everywhere else. */
    boolean isBlank(String key) {
        return blank.contains(key);
    }

    /** Of anything; empty when it is absent. */
    List<?> list(String key) {
        Object value = values.getOrDefault(key, List.of());
        if (value instanceof List<?> list) {
            return list;
        }
        throw new PreflightFailure("Configuration", path + key + " is " + value, "Write it as a list.");
    }

    /** A single text counts as a list of one. */
    List<String> texts(String key) {
        Object value = values.getOrDefault(key, List.of());
        if (value instanceof Map<?, ?>) {
            throw new PreflightFailure("Configuration", path + key + " is " + value, "Write it as a list.");
        }
        return value instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of(text(key, ""));
    }

    boolean truth(String key, boolean otherwise) {
        return switch (text(key, String.valueOf(otherwise)).toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default ->
                throw new PreflightFailure(
                        "Configuration", path + key + " is " + values.get(key), "Set it to true or false.");
        };
    }

    double decimal(String key, double otherwise) {
        try {
            return Double.parseDouble(text(key, String.valueOf(otherwise)));
        } catch (NumberFormatException e) {
            throw notANumber(key);
        }
    }

    /** An empty section when it is absent. */
    Settings section(String key) {
        Object value = values.getOrDefault(key, Map.of());
        if (value instanceof Map<?, ?> section) {
            return new Settings(path + key + ".", section);
        }
        throw new PreflightFailure("Configuration", path + key + " is " + value, "Write it as a section of keys.");
    }

    private PreflightFailure notANumber(String key) {
        return new PreflightFailure("Configuration", path + key + " is " + values.get(key), "Set it to a number.");
    }
}
