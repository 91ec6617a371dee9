package ai.molecule.runtime.langchain4j;

import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import java.util.ArrayList;
import java.util.List;

/**
 * Shortens long conversations for the model: answers of tools, the oldest first, are replaced by a line that says so, but for the last
 * {@value #LEFT_ALONE}. It shortens to half of what is too much, so that a model's cache of the beginning holds for many turns.
 */
final class Compaction {

    /** About 100,000 tokens. */
    static final int CHARS_MAX = 400_000;

    static final int LEFT_ALONE = 4;

    private static final int WORTH_CHARS = 500;

    private int shortened; // so many answers of tools, from the first on
    private int charsMax = CHARS_MAX;

    /** As the model is told it. */
    List<ChatMessage> of(List<ChatMessage> messages) {
        List<ChatMessage> told = told(messages);
        if (size(told) > charsMax) {
            int results = results(messages);
            while (shortened < results - LEFT_ALONE && size(told) > charsMax / 2) {
                shortened++;
                told = told(messages);
            }
        }
        return told;
    }

    /** The model found it too long: whether it will be shorter from now on. */
    boolean shrink(List<ChatMessage> messages) {
        int before = size(of(messages));
        charsMax = Math.min(charsMax, before - 1);
        return size(of(messages)) < before;
    }

    private List<ChatMessage> told(List<ChatMessage> messages) {
        List<ChatMessage> told = new ArrayList<>(messages.size());
        int seen = 0;
        for (ChatMessage message : messages) {
            told.add(
                    message instanceof ToolExecutionResultMessage result && seen++ < shortened
                            ? shortened(result)
                            : message);
        }
        return told;
    }

    private static ChatMessage shortened(ToolExecutionResultMessage result) {
        String text = result.text();
        return text.length() <= WORTH_CHARS
                ? result
                : ToolExecutionResultMessage.from(
                        result.id(),
                        result.toolName(),
                        "[" + text.length()
                                + " characters are left out of this older answer; call the tool again if you need them]");
    }

    private static int results(List<ChatMessage> messages) {
        return (int) messages.stream()
                .filter(ToolExecutionResultMessage.class::isInstance)
                .count();
    }

    private static int size(List<ChatMessage> messages) {
        return messages.stream()
                .mapToInt(message -> message instanceof ToolExecutionResultMessage result
                        ? result.text().length()
                        : message.toString().length())
                .sum();
    }
}
