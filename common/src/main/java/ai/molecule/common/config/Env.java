package ai.molecule.common.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Typed reading of environment variables. Every failure is an {@link IllegalArgumentException} that names the variable. Instead of
 * {@code NAME}, {@code NAME_FILE} may name a file that holds the value: that is how secrets are mounted.
 */
public record Env(Map<String, String> variables) {

    /** Longest value a file may hold; the longest known is a certificate. */
    private static final int FILE_BYTES_MAX = 64 << 10;

    /** The trimmed value; null when unset or blank. */
    public @Nullable String find(String name) {
        String value = variables.get(name);
        if (value == null || value.isBlank()) {
            value = fromFile(name + "_FILE");
        }
        return value == null || value.isBlank() ? null : value.trim();
    }

    private @Nullable String fromFile(String name) {
        String file = variables.get(name);
        if (file == null || file.isBlank()) {
            return null;
        }
        try (var content = Files.newInputStream(Path.of(file.trim()))) {
            byte[] bytes = content.readNBytes(FILE_BYTES_MAX + 1);
            if (bytes.length <= FILE_BYTES_MAX) {
                return new String(bytes, UTF_8);
            }
        } catch (IOException | InvalidPathException unreadable) {
            // same answer as for one too long
        }
        throw new IllegalArgumentException("%s must name a readable file of at most 64 KiB".formatted(name));
    }

    public String text(String name, String fallback) {
        String value = find(name);
        return value == null ? fallback : value;
    }

    public String required(String name) {
        String value = find(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " is required");
        }
        return value;
    }

    /** A TCP port; 0 lets the system choose. */
    public int port(String name, int fallback) {
        return (int) integer(name, fallback, 0, 65_535);
    }

    public long integer(String name, long fallback, long min, long max) {
        String value = find(name);
        if (value == null) {
            return fallback;
        }
        try {
            long number = Long.parseLong(value);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // same answer as for one out of range
        }
        throw new IllegalArgumentException("%s must be a whole number from %d to %d".formatted(name, min, max));
    }

    public Duration seconds(String name, long fallback) {
        return Duration.ofSeconds(integer(name, fallback, 1, 86_400));
    }

    /** Comma-separated, trimmed, empty entries dropped. */
    public List<String> list(String name) {
        String value = find(name);
        return value == null
                ? List.of()
                : Stream.of(value.split(",", -1))
                        .map(String::trim)
                        .filter(Predicate.not(String::isEmpty))
                        .toList();
    }
}
