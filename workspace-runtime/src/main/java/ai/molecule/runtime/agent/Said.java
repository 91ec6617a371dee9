package ai.molecule.runtime.agent;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.StringJoiner;

/**
 * Something that was said earlier in a conversation.
 *
 * @param byUser false when the agent said it
 * @param text never blank
 */
public record Said(boolean byUser, String text) {

    /** Older messages than these are left out: a model reads so much and no more. */
    static final int MESSAGES_MAX = 200;

    static final int CHARS_MAX = 400_000;

    /**
     * The conversation that came with a message, {@code metadata.history}: a list of {@code {role, parts}}, the oldest
     * first. What is not written so is passed over; of more than {@link #MESSAGES_MAX} messages or {@link #CHARS_MAX}
     * characters the last ones count.
     */
    public static List<Said> before(Prompt prompt) {
        JsonNode history = prompt.metadata().path("history");
        Deque<Said> said = new ArrayDeque<>();
        int chars = 0;
        for (int i = history.size() - 1; i >= 0 && said.size() < MESSAGES_MAX; i--) {
            String text = text(history.path(i).path("parts"));
            chars += text.length();
            if (chars > CHARS_MAX) {
                break;
            }
            if (!text.isBlank()) {
                said.addFirst(
                        new Said("user".equals(history.path(i).path("role").asText()), text));
            }
        }
        return List.copyOf(said);
    }

    private static String text(JsonNode parts) {
        var text = new StringJoiner(" ");
        for (JsonNode part : parts) {
            JsonNode value =
                    part.has("text") ? part.path("text") : part.path("root").path("text");
            if (value.isTextual()) {
                text.add(value.textValue());
            }
        }
        return text.toString();
    }
}
