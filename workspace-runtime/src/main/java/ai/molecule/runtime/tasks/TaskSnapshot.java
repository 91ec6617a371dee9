package ai.molecule.runtime.tasks;

import ai.molecule.runtime.agent.ToolUse;
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
 * @param tools used so far, in order
 */
public record TaskSnapshot(
        String id,
        String contextId,
        TaskState state,
        Instant since,
        String statusText,
        List<Turn> turns,
        String answer,
        List<AnsweredFile> files,
        List<ToolUse> tools) {

    public TaskSnapshot {
        turns = List.copyOf(turns);
        files = List.copyOf(files);
        tools = List.copyOf(tools);
    }

    /** What a reader wants to know who has room for one text only. */
    public String words() {
        return statusText.isEmpty() ? answer : statusText;
    }
}
