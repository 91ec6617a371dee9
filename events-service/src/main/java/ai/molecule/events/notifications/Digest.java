package ai.molecule.events.notifications;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;

/**
 * How a day went.
 *
 * @param costMicros of all calls of models with a price, in millionths of a dollar
 * @param waiting for a person, now
 */
record Digest(int done, int stopped, int failed, long costMicros, int waiting) {

    /** {@code 14 done, 2 stopped, $3.10; 1 waits for you}. */
    String text() {
        List<String> parts = new ArrayList<>(List.of(done + " done"));
        if (stopped > 0) {
            parts.add(stopped + " stopped");
        }
        if (failed > 0) {
            parts.add(failed + " failed");
        }
        parts.add("$"
                + BigDecimal.valueOf(costMicros, 6)
                        .setScale(2, RoundingMode.HALF_UP)
                        .toPlainString());
        String rest = waiting == 0 ? "" : waiting == 1 ? "; 1 waits for you" : "; %d wait for you".formatted(waiting);
        return String.join(", ", parts) + rest;
    }
}
