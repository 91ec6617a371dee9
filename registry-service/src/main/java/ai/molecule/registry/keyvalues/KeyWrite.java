package ai.molecule.registry.keyvalues;

import ai.molecule.common.ApiError;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.NullNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A value to be kept, checked.
 *
 * @param value JSON text
 * @param timeToLive null for ever; zero and negative ones have passed already
 * @param expectedVersion the version that must be current, 0 for a key that must not exist; null writes in any case
 */
public record KeyWrite(
        String key,
        String value,
        @Nullable Duration timeToLive,
        @Nullable Long expectedVersion) {

    /** What a key may hold: an index entry has to fit a third of a page. */
    private static final int KEY_MAX_BYTES = 1024;

    /** Some three hundred years, so that every expiry has a date. */
    private static final long TTL_MAX_SECONDS = 10_000_000_000L;

    /**
     * Reads {@code {"key", "value", "ttl_seconds"?, "if_match_version"?}}; fails with INVALID and the text that names what is wrong.
     * A value of {@code null} is a value.
     */
    static KeyWrite of(JsonBody body) {
        String key = body.text("key", "");
        if (key.isEmpty()) {
            throw ApiError.invalid("key is required");
        }
        if (key.getBytes(StandardCharsets.UTF_8).length > KEY_MAX_BYTES) {
            throw ApiError.invalid("key must be <= %d bytes".formatted(KEY_MAX_BYTES));
        }
        if (!body.has("value")) {
            throw ApiError.invalid("value is required");
        }
        var value = Objects.requireNonNullElse(body.node("value"), NullNode.getInstance());
        Long seconds = integerOrNull(body, "ttl_seconds");
        if (seconds != null && (seconds > TTL_MAX_SECONDS || seconds < -TTL_MAX_SECONDS)) {
            throw ApiError.invalid("ttl_seconds must be between -%1$d and %1$d".formatted(TTL_MAX_SECONDS));
        }
        return new KeyWrite(
                key,
                Json.text(value),
                seconds == null ? null : Duration.ofSeconds(seconds),
                integerOrNull(body, "if_match_version"));
    }

    private static @Nullable Long integerOrNull(JsonBody body, String name) {
        return body.node(name) == null ? null : (Long) body.integer(name, 0);
    }
}
