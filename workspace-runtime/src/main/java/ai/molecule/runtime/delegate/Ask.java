package ai.molecule.runtime.delegate;

import java.util.List;
import java.util.regex.Pattern;

/**
 * One line of a message that asks somebody something.
 *
 * @param peer the peer's name as written
 * @param text what to say to it
 */
record Ask(String peer, String text) {

    /** {@code ask <peer name>: <text>}; the name ends at the first colon, upper and lower case are the same. */
    private static final Pattern LINE =
            Pattern.compile("\\s*ask\\s+([^:]+?)\\s*:\\s*(\\S.*?)\\s*", Pattern.CASE_INSENSITIVE);

    /** Every ask of the message, in order; other lines are passed over. */
    static List<Ask> in(String message) {
        return message.lines()
                .map(LINE::matcher)
                .filter(line -> line.matches())
                .map(line -> new Ask(line.group(1), line.group(2)))
                .toList();
    }
}
