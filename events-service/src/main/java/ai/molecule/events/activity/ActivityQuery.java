package ai.molecule.events.activity;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.loops.LongPolls;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which rows of a workspace a client asks for.
 *
 * @param type exact activity type; null for all
 * @param source whose rows; null for all
 * @param sinceId the row to go on after, as sent: any text, because an unknown one has its own answer
 * @param sinceAge only rows at most this old; null for no bound
 * @param peerId only rows from or to this workspace; null for all
 * @param before only strictly older rows; null for no bound
 * @param patience {@code wait}: how long to wait for a first row when there is none; zero for not at all
 */
public record ActivityQuery(
        UUID workspaceId,
        @Nullable String type,
        @Nullable Source source,
        @Nullable String sinceId,
        @Nullable Duration sinceAge,
        @Nullable UUID peerId,
        @Nullable Instant before,
        int limit,
        Duration patience) {

    private static final int LIMIT_DEFAULT = 100;
    private static final int LIMIT_MAX = 500;
    private static final long SINCE_SECONDS_MAX = Duration.ofDays(30).toSeconds();

    /** Rows of people (no source workspace) or of workspaces. */
    public enum Source {
        CANVAS,
        AGENT
    }

    /** In which order rows are answered, decision 11. */
    enum Order {
        /** After the cursor row, in the order of insertion. */
        FOLLOWING,
        /** The newest, in the order of insertion: what a polling agent asks first. */
        LATEST_ASCENDING,
        NEWEST_FIRST
    }

    /** INVALID with the parameter's own text, except that a bad limit counts as the default. */
    public static ActivityQuery of(UUID workspaceId, Function<String, @Nullable String> parameters) {
        return new ActivityQuery(
                workspaceId,
                textOrNull(parameters.apply("type")),
                source(textOrNull(parameters.apply("source"))),
                textOrNull(parameters.apply("since_id")),
                sinceAge(textOrNull(parameters.apply("since_secs"))),
                peer(textOrNull(parameters.apply("peer_id"))),
                before(textOrNull(parameters.apply("before_ts"))),
                limit(parameters.apply("limit")),
                LongPolls.patience(textOrNull(parameters.apply("wait"))));
    }

    /** Whether this is a polling agent's question: then its own notifications, and what it says it received elsewhere, are left out. */
    boolean feed() {
        return source == null && "a2a_receive".equals(type);
    }

    /** Whether what the workspace said to others is asked for too. */
    boolean withSent() {
        return source == Source.AGENT && (type == null || "a2a_send".equals(type));
    }

    Order order() {
        if (sinceId != null) {
            return Order.FOLLOWING;
        }
        boolean bare = sinceAge == null && peerId == null && before == null;
        return feed() && bare ? Order.LATEST_ASCENDING : Order.NEWEST_FIRST;
    }

    private static @Nullable String textOrNull(@Nullable String text) {
        return text == null || text.isEmpty() ? null : text;
    }

    private static @Nullable Source source(@Nullable String text) {
        return switch (text) {
            case null -> null;
            case "canvas" -> Source.CANVAS;
            case "agent" -> Source.AGENT;
            default -> throw ApiError.invalid("source must be 'canvas' or 'agent'");
        };
    }

    private static @Nullable Duration sinceAge(@Nullable String text) {
        if (text == null) {
            return null;
        }
        try {
            long seconds = Long.parseLong(text);
            if (seconds > 0) {
                return Duration.ofSeconds(Math.min(seconds, SINCE_SECONDS_MAX));
            }
        } catch (NumberFormatException notANumber) {
            // same answer as for zero
        }
        throw ApiError.invalid("since_secs must be a positive integer");
    }

    private static @Nullable UUID peer(@Nullable String text) {
        return text == null ? null : Ids.find(text).orElseThrow(() -> ApiError.invalid("peer_id must be a valid UUID"));
    }

    private static @Nullable Instant before(@Nullable String text) {
        try {
            // a plus that was not encoded arrives as a blank
            return text == null
                    ? null
                    : OffsetDateTime.parse(text.replace(' ', '+')).toInstant();
        } catch (DateTimeException malformed) {
            throw ApiError.invalid("before_ts must be an RFC3339 time");
        }
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
