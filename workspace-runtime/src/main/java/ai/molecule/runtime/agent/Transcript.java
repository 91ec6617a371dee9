package ai.molecule.runtime.agent;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of what happened in an agent's session.
 *
 * @param supported whether this kind of agent keeps one at all
 * @param lines in the order in which they happened
 * @param cursor where the next part begins
 * @param more whether there is a next part already
 * @param source where it is kept; null when nowhere
 */
public record Transcript(
        boolean supported,
        List<JsonNode> lines,
        int cursor,
        boolean more,
        @Nullable String source) {

    public Transcript {
        lines = List.copyOf(lines);
    }

    /** Of an agent that keeps none. */
    public static Transcript none(int since) {
        return new Transcript(false, List.of(), since, false, null);
    }
}
