package ai.molecule.runtime.tasks;

import java.util.function.Supplier;

/**
 * What an agent is asked: the words of the message, the files that came with it, and before both what became known since the
 * last one.
 *
 * @param news taken once, by the first message that has words; empty for none
 */
public record MessageText(Attachments attachments, Supplier<String> news) {

    /** The words alone. */
    public static final MessageText PLAIN = new MessageText(Attachments.NONE, () -> "");

    /** Blank when the message says nothing. May block. */
    String of(IncomingMessage message) {
        String text = attachments.addTo(message.text(), message.message().path("parts"));
        String before = text.isBlank() ? "" : news.get();
        return before.isEmpty()
                ? text
                : "[Delegation results received while you were idle]\n" + before + "\n\n[New message]\n" + text;
    }
}
