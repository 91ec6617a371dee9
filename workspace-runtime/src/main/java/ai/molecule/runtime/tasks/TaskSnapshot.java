package ai.molecule.runtime.tasks;

import java.time.Instant;

/**
 * A task at one moment.
 *
 * @param since when it came into this state
 * @param statusText says why it failed or was cancelled; else empty
 * @param messageJson the message that began it, as compact JSON
 * @param answer the answer so far; empty when there is none yet
 */
public record TaskSnapshot(
        String id,
        String contextId,
        TaskState state,
        Instant since,
        String statusText,
        String messageJson,
        String answer) {

    /** What a reader wants to know who has room for one text only. */
    public String words() {
        return statusText.isEmpty() ? answer : statusText;
    }
}
