package ai.molecule.runtime.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Notices a model that makes no progress while it answers one message: the same call, with the same answer, for the third time. It is told
 * then; {@value #END} times end the task. Asking how far others are is no such thing.
 */
final class Repetition {

    static final int NOTICE = 3;
    static final int END = 6;

    /** Further calls are not remembered. */
    private static final int REMEMBERED_MAX = 2_000;

    private static final Set<String> WAITING =
            Set.of("check_task_status", "wait_for_message", "inbox_peek", "list_peers");

    /** Fingerprints are enough: whoever meets another one by chance is told to do something else. */
    private record Made(String tool, int arguments, int answer) {}

    private final Map<Made, Integer> made = new HashMap<>();
    private final Set<Made> thisTurn = new HashSet<>();
    private boolean isEndless;

    /** What is called several times in one turn counts once. */
    void nextTurn() {
        thisTurn.clear();
    }

    /** The answer as the model is told it. */
    String told(ToolExecutionRequest call, String answer) {
        if (WAITING.contains(call.name()) || made.size() >= REMEMBERED_MAX) {
            return answer;
        }
        var now = new Made(call.name(), call.arguments().hashCode(), answer.hashCode());
        int times = made.merge(now, thisTurn.add(now) ? 1 : 0, Integer::sum);
        isEndless |= times >= END;
        return times < NOTICE
                ? answer
                : answer + "\n[the same call has had the same answer " + times
                        + " times: do something else, or finish with what you know]";
    }

    /** Whether the task should end. */
    boolean isEndless() {
        return isEndless;
    }
}
