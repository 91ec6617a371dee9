package ai.molecule.registry.secrets;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.workspaces.ReservedVariables;
import ai.molecule.registry.secrets.stores.Reference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A name and its value, checked.
 *
 * @param value in clear; where {@code isReference}, not the value but where it stands, as {@link Reference} writes it
 */
public record Secret(String key, String value, boolean isReference) {

    /** At most so many of one workspace, and so many global ones. */
    public static final int COUNT_MAX = 100;

    /** Half of what Linux lets a single variable hold (128 KiB with its name). */
    static final int VALUE_MAX_BYTES = 64 * 1024;

    /** What Kubernetes takes for the name of a variable, without the leading dots and dashes that shells cannot name. */
    private static final Pattern KEY = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,127}");

    /** Fails with INVALID and a text that says what is wrong with the name or the value. */
    public static Secret of(String key, String value) {
        checkKey(key);
        if (value.isEmpty() || !StandardCharsets.UTF_8.newEncoder().canEncode(value)) {
            throw ApiError.invalid("secret value must be a text that is not empty");
        }
        if (value.getBytes(StandardCharsets.UTF_8).length > VALUE_MAX_BYTES) {
            throw ApiError.invalid("secret value must be at most %d bytes".formatted(VALUE_MAX_BYTES));
        }
        return new Secret(key, value, false);
    }

    /** The model is a setting that everybody reads who may list secrets, so its value stands here. */
    private static Secret ofReference(String key, Reference reference) {
        checkKey(key);
        if (key.equals(ModelRoutes.KEY)) {
            throw ApiError.invalid("secret key %s cannot be a reference".formatted(key));
        }
        return new Secret(key, reference.toString(), true);
    }

    private static void checkKey(String key) {
        if (!KEY.matcher(key).matches()) {
            throw ApiError.invalid(
                    "secret key must be at most 128 letters, digits, '_', '.' and '-', beginning with a letter or '_'");
        }
        if (ReservedVariables.contains(key)) {
            throw ApiError.invalid("secret key %s is reserved for the platform".formatted(key));
        }
    }

    /** The body of a set, {@code {"key", "value"}} or {@code {"key", "reference"}}, both present and not empty. */
    static Secret of(JsonBody body) {
        if (body.has("reference")) {
            if (body.has("value")) {
                throw ApiError.invalid("a secret has a value or a reference, not both");
            }
            return ofReference(body.requiredText("key"), Reference.of(body.requiredText("reference")));
        }
        return of(body.requiredText("key"), body.requiredText("value"));
    }

    /** The member {@code secrets} of a creation, {@code {key: value}}; none when absent. */
    public static List<Secret> manyOf(JsonBody body) {
        var members = body.object("secrets");
        List<Secret> secrets = new ArrayList<>();
        if (members != null) {
            for (var member : members.properties()) {
                if (!member.getValue().isTextual()) {
                    throw body.bad();
                }
                secrets.add(of(member.getKey(), member.getValue().textValue()));
            }
        }
        return checkCount(secrets);
    }

    /** By key; fails like {@link #of(String, String)} and for too many. */
    public static List<Secret> manyOf(Map<String, String> values) {
        return checkCount(values.entrySet().stream()
                .map(entry -> of(entry.getKey(), entry.getValue()))
                .toList());
    }

    /** The kind of store its value stands in; null for one that is stored here. */
    @Nullable
    String store() {
        return isReference ? Reference.of(value).kind().wire() : null;
    }

    /** Without the value: whatever holds a secret may end up in a log. */
    @Override
    public String toString() {
        return "Secret[key=" + key + "]";
    }

    private static List<Secret> checkCount(List<Secret> secrets) {
        if (secrets.size() > COUNT_MAX) {
            throw ApiError.invalid("at most %d secrets".formatted(COUNT_MAX));
        }
        return List.copyOf(secrets);
    }
}
