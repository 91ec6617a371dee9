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
 * @param parts that go with the answer
 * @param tools used so far, in order
 * @param direct whether its sender, once it is completed, hears a message and nothing of a task
 */
public record TaskSnapshot(
        String id,
        String contextId,
        TaskState state,
        Instant since,
        String statusText,
        List<Turn> turns,
        String answer,
        List<AnsweredPart> parts,
        List<ToolUse> tools,
        boolean direct) {

    public TaskSnapshot {
        turns = List.copyOf(turns);
        parts = List.copyOf(parts);
        tools = List.copyOf(tools);
    }

    /** What a reader wants to know who has room for one text only; of a task at rest never empty. */
    public String words() {
        String said = statusText.isEmpty() ? answer : statusText;
        return said.isEmpty() && !parts.isEmpty() ? TaskReply.NOTHING_SAID : said;
    }
}
