package ai.molecule.runtime.tasks;

import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * Where a message is read and answered: the files that come with it, what became known since the last one, and the files that
 * its answer names.
 *
 * @param news taken once, by the first message that has words; empty for none
 */
public record Surroundings(Attachments attachments, Supplier<String> news, AnswerFiles answerFiles) {

    /** Words in, words out. */
    public static final Surroundings NONE = new Surroundings(Attachments.NONE, () -> "", AnswerFiles.NONE);

    /** @param folder what messages call {@code /workspace} */
    public static Surroundings in(Path folder, Supplier<String> news) {
        return new Surroundings(Attachments.in(folder), news, AnswerFiles.in(folder));
    }

    /** What the agent is asked; blank when the message says nothing. May block. */
    String textOf(IncomingMessage message) {
        String text = attachments.addTo(message.text(), message.message().path("parts"));
        String before = text.isBlank() ? "" : news.get();
        return before.isEmpty()
                ? text
                : "[Delegation results received while you were idle]\n" + before + "\n\n[New message]\n" + text;
    }
}
