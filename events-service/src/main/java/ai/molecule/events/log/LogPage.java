package ai.molecule.events.log;

import ai.molecule.common.ApiError;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which rows of the log a client asks for. With {@code before} or without any cursor: the newest that qualify; with only
 * {@code after}: the ones that follow it directly, so that going forward skips nothing. Answered newest first either way.
 *
 * @param workspaceId null for all workspaces
 * @param within of these workspaces alone; null for all
 * @param before only smaller positions; null for no bound
 * @param after only larger positions; null for no bound
 */
public record LogPage(
        @Nullable UUID workspaceId,
        @Nullable Set<UUID> within,
        @Nullable Long before,
        @Nullable Long after,
        int limit) {

    private static final int LIMIT_DEFAULT = 100;
    private static final int LIMIT_MAX = 500;

    /** Reads {@code limit}, {@code before} and {@code after}; INVALID when one is no number. A limit over 500 counts as 500. */
    public static LogPage of(@Nullable UUID workspaceId, Function<String, @Nullable String> parameters) {
        Long limit = number("limit", 1, parameters);
        return new LogPage(
                workspaceId,
                null,
                number("before", 0, parameters),
                number("after", 0, parameters),
                limit == null ? LIMIT_DEFAULT : (int) Math.min(limit, LIMIT_MAX));
    }

    LogPage within(Set<UUID> workspaces) {
        return new LogPage(workspaceId, workspaces, before, after, limit);
    }

    /** A position or count in a request; null when it is absent. */
    public static @Nullable Long number(String name, long min, Function<String, @Nullable String> parameters) {
        String text = parameters.apply(name);
        if (text == null) {
            return null;
        }
        try {
            long number = Long.parseLong(text);
            if (number >= min) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // same answer as for one that is too small
        }
        throw ApiError.invalid("%s must be a whole number, at least %d".formatted(name, min));
    }
}
