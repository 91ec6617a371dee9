package ai.molecule.runtime.tasks;

import java.time.Instant;
import java.util.List;

/**
 * A task at one moment.
 *
 * @param since when it came into this state
 * @param statusText says why it failed or was cancelled, or what its sender is asked; else empty
 * @param turns what was said in it, the message that began it first; never empty
 * @param answer the answer so far; empty when there is none yet
 * @param files that go with the answer
 */
public record TaskSnapshot(
        String id,
        String contextId,
        TaskState state,
        Instant since,
        String statusText,
        List<Turn> turns,
        String answer,
        List<AnsweredFile> files) {

    public TaskSnapshot {
        turns = List.copyOf(turns);
        files = List.copyOf(files);
    }

    /** What a reader wants to know who has room for one text only. */
    public String words() {
        return statusText.isEmpty() ? answer : statusText;
    }
}
