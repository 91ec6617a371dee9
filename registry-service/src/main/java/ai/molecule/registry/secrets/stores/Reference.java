package ai.molecule.registry.secrets.stores;

import ai.molecule.common.ApiError;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a secret's value stands, written {@code <kind>:<path>}.
 *
 * @param path as its store reads it
 */
public record Reference(Kind kind, String path) {

    /** The stores there are. */
    public enum Kind {
        /** {@code vault:<mount>/data/<path>#<field>}, HashiCorp Vault, KV version 2. */
        VAULT,
        /** {@code file:<absolute path>}, on the registry's machine. */
        FILE,
        /** {@code exec:<name>}, a program that the operator named. */
        EXEC;

        /** As references and lists have it. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Empty for a name that is none. */
        public static Optional<Kind> find(String wire) {
            return Arrays.stream(values())
                    .filter(kind -> kind.wire().equals(wire))
                    .findFirst();
        }
    }

    private static final int MAX_CHARS = 1024;
    private static final Pattern VISIBLE = Pattern.compile("[^\\p{Cntrl}]+");

    /** Fails with INVALID where it names no store; whether the store takes the path, it says itself. */
    public static Reference of(String text) {
        int colon = text.indexOf(':');
        var kind = Kind.find(text.substring(0, Math.max(0, colon)));
        if (kind.isEmpty()
                || text.length() > MAX_CHARS
                || !VISIBLE.matcher(text).matches()) {
            throw ApiError.invalid("reference must begin with %s and have at most %d characters"
                    .formatted(
                            Arrays.stream(Kind.values())
                                    .map(each -> each.wire() + ":")
                                    .collect(Collectors.joining(", ")),
                            MAX_CHARS));
        }
        return new Reference(kind.get(), text.substring(colon + 1));
    }

    /** As it was written. */
    @Override
    public String toString() {
        return kind.wire() + ":" + path;
    }
}
