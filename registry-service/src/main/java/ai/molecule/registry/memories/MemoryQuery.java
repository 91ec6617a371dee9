package ai.molecule.registry.memories;

import ai.molecule.common.ApiError;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a reader asks for.
 *
 * @param scope which memories: null for all of the reader's own
 * @param text to be found in them, any text; empty for all
 * @param namespace null for any
 * @param limit 1 to 50
 */
record MemoryQuery(
        UUID readerId,
        @Nullable MemoryScope scope,
        String text,
        @Nullable String namespace,
        int limit) {

    static final int LIMIT_MAX = 50;

    /** Reads the query's parameters; another scope counts as none, another limit as 50. Fails with INVALID for a NUL. */
    static MemoryQuery of(
            UUID readerId,
            @Nullable String scope,
            @Nullable String text,
            @Nullable String namespace,
            @Nullable String limit) {
        if (Stream.of(text, namespace).anyMatch(sent -> sent != null && sent.indexOf('\0') >= 0)) {
            throw ApiError.invalid("invalid query");
        }
        return new MemoryQuery(
                readerId,
                MemoryScope.find(scope).orElse(null),
                text == null ? "" : text,
                namespace == null || namespace.isEmpty() ? null : namespace,
                limitOf(limit));
    }

    /** Whether it reaches for what others wrote. */
    boolean ofOthers() {
        return scope == MemoryScope.TEAM || scope == MemoryScope.GLOBAL;
    }

    /** A single character is looked for anywhere in the text; more are words, compared by their stems and as they stand. */
    boolean byWords() {
        return text.codePointCount(0, text.length()) > 1;
    }

    private static int limitOf(@Nullable String sent) {
        try {
            int limit = sent == null ? LIMIT_MAX : Integer.parseInt(sent);
            return limit >= 1 && limit <= LIMIT_MAX ? limit : LIMIT_MAX;
        } catch (NumberFormatException notANumber) {
            return LIMIT_MAX;
        }
    }
}
