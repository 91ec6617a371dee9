package ai.molecule.events.search;

import ai.molecule.common.ApiError;
import ai.molecule.events.activity.ActivityPlace;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is looked for.
 *
 * @param text part of what is found, in any case; {@code %} and {@code _} are wildcards; empty for all
 * @param limit 1 to 200
 * @param before where an earlier search ended, behind which this one goes on; null for the newest
 */
record SessionQuery(
        UUID workspaceId, String text, int limit, @Nullable ActivityPlace before) {

    /** Looked for in every body: what a text costs grows with its length times theirs. */
    static final int TEXT_MAX_CHARS = 1_000;

    private static final int LIMIT_DEFAULT = 50;
    private static final int LIMIT_MAX = 200;

    /**
     * Reads {@code q}, {@code limit} and {@code before}; a bad limit counts as 50. INVALID for a NUL, which no stored text holds, for a longer
     * text and for what no search said.
     */
    static SessionQuery of(UUID workspaceId, Function<String, @Nullable String> parameters) {
        String text = parameters.apply("q");
        if (text != null && text.indexOf('\0') >= 0) {
            throw ApiError.invalid("q must not contain NUL");
        }
        if (text != null && text.length() > TEXT_MAX_CHARS) {
            throw ApiError.invalid("q must be at most %d characters".formatted(TEXT_MAX_CHARS));
        }
        String before = parameters.apply("before");
        return new SessionQuery(
                workspaceId,
                text == null ? "" : text.strip(),
                limit(parameters.apply("limit")),
                before == null ? null : ActivityPlace.of(before));
    }

    private static int limit(@Nullable String text) {
        try {
            int limit = text == null ? LIMIT_DEFAULT : Integer.parseInt(text);
            return limit <= 0 ? LIMIT_DEFAULT : Math.min(limit, LIMIT_MAX);
        } catch (NumberFormatException notANumber) {
            return LIMIT_DEFAULT;
        }
    }
}
