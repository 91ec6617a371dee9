package ai.molecule.sdk;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How {@link PollDelivery} asks for messages.
 *
 * <pre>{@code
 * PollOptions.defaults().withCursorFile(Path.of("/var/lib/my-agent/cursor"))
 * }</pre>
 *
 * @param interval the pause after an empty answer from a platform that does not hold requests open, and in every case when
 *     {@code heldOpen} is zero
 * @param type the activity type asked for
 * @param limit messages per request at most, 1 to 500
 * @param cursorFile where the last handled message is remembered; empty: in memory, so that after a restart the platform's
 *     newest {@code limit} messages are handled again
 * @param heldOpen how long the platform is asked to hold a request open, up to 25 s; zero: not at all
 */
public record PollOptions(Duration interval, String type, int limit, Optional<Path> cursorFile, Duration heldOpen) {

    /** The pause between two requests when the platform does not hold them open. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(5);

    private static final int LIMIT_MAX = 500;

    /** @throws IllegalArgumentException when a value is out of its range */
    public PollOptions {
        if (interval.isNegative() || interval.isZero()) {
            throw new IllegalArgumentException("the poll interval must be positive: " + interval);
        }
        if (limit < 1 || limit > LIMIT_MAX) {
            throw new IllegalArgumentException("limit must lie between 1 and 500: " + limit);
        }
        if (heldOpen.isNegative() || heldOpen.compareTo(InboundQuery.WAIT_MAX) > 0) {
            throw new IllegalArgumentException("what a request is held open must lie between 0 and 25 s: " + heldOpen);
        }
    }

    /** Up to 100 messages at once, held open for 25 s, every 5 s where the platform cannot; the cursor in memory. */
    public static PollOptions defaults() {
        return new PollOptions(DEFAULT_INTERVAL, "a2a_receive", 100, Optional.empty(), InboundQuery.WAIT_MAX);
    }

    public PollOptions withInterval(Duration pause) {
        return new PollOptions(pause, type, limit, cursorFile, heldOpen);
    }

    public PollOptions withType(String activityType) {
        return new PollOptions(interval, activityType, limit, cursorFile, heldOpen);
    }

    public PollOptions withLimit(int messages) {
        return new PollOptions(interval, type, messages, cursorFile, heldOpen);
    }

    public PollOptions withCursorFile(Path file) {
        return new PollOptions(interval, type, limit, Optional.of(file), heldOpen);
    }

    public PollOptions heldOpenFor(Duration atMost) {
        return new PollOptions(interval, type, limit, cursorFile, atMost);
    }
}
