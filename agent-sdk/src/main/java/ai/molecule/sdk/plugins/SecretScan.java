package ai.molecule.sdk.plugins;

import ai.molecule.sdk.CredentialShapes;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds what looks like a credential in a manifest, which everybody can read. The first find in a text is enough. */
final class SecretScan {

    private record Look(String name, Pattern pattern) {}

    /** Of the beginning of a text; a manifest's texts are short. */
    private static final int TEXT_MAX_CHARS = 64 * 1024;

    private static final List<Look> LOOKS = Stream.of(
                    CredentialShapes.ALL.stream().map(shape -> look(shape.name(), shape.regex())),
                    Stream.of(look("a private key", CredentialShapes.PRIVATE_KEY)),
                    named())
            .flatMap(looks -> looks)
            .toList();

    private SecretScan() {}

    private static Stream<Look> named() {
        return Stream.of(
                look("a bearer token", "[\"']Bearer\\s++[^\"']++[\"']"),
                look("a long hexadecimal key", "(?<![0-9a-fA-F])[0-9a-fA-F]{64}"),
                look("a password", "(?i)password\\s*[=:]\\s*\\S{8}"),
                look("an API key", "(?i)api[_-]?key\\s*[=:]\\s*\\S{16}"),
                look("a secret", "(?i)secret\\s*[=:]\\s*\\S{16}"),
                look("a bearer token", "Bearer\\s+[A-Za-z0-9._~+/=-]{20}"));
    }

    private static Look look(String name, String pattern) {
        return new Look(name, Pattern.compile(pattern));
    }

    /** @param path of the value, such as {@code tags[1]}; empty at the top */
    static void scan(@Nullable Object value, String path, Consumer<String> complain) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, inner) -> {
                if (!"sha256".equals(key)) {
                    scan(inner, path.isEmpty() ? String.valueOf(key) : path + "." + key, complain);
                }
            });
        } else if (value instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                scan(list.get(i), path + "[" + i + "]", complain);
            }
        } else if (value instanceof String text) {
            String looked = text.substring(0, Math.min(text.length(), TEXT_MAX_CHARS));
            LOOKS.stream()
                    .filter(look -> look.pattern().matcher(looked).find())
                    .findFirst()
                    .ifPresent(look -> complain.accept("'" + path + "' looks like " + look.name()));
        }
    }
}
