package ai.molecule.runtime.tasks;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.Optional;

/**
 * Which tasks are wanted: the ones that changed last come first.
 *
 * @param asker sees what it began itself; empty sees all
 * @param since only those that came into their state then or later
 * @param after where the page before this one ended
 */
public record TaskQuery(
        Optional<String> asker,
        Optional<String> contextId,
        Optional<TaskState> state,
        Optional<Instant> since,
        int size,
        Optional<Position> after) {

    /** Where a task stands in the order: by its time, to the millisecond as it is shown, then by its id. */
    public record Position(long millis, String id) implements Comparable<Position> {

        private static final Comparator<Position> ORDER =
                Comparator.comparingLong(Position::millis).reversed().thenComparing(Position::id);

        /** @throws IllegalArgumentException when it is no {@link #token} */
        public static Position of(String token) {
            String text = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
            int colon = text.indexOf(':');
            if (colon < 1) {
                throw new IllegalArgumentException("no position");
            }
            return new Position(Long.parseLong(text.substring(0, colon)), text.substring(colon + 1));
        }

        String token() {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString((millis + ":" + id).getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public int compareTo(Position other) {
            return ORDER.compare(this, other);
        }
    }
}
