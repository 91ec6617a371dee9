package ai.molecule.proxy.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The one order in which the parts of an answer are read, in either version: a message, then artifacts, then the message of the status. A task
 * that asks, has failed or was rejected is read the other way round: its question or reason comes first, because what it said before is
 * no answer to that.
 */
public final class AnswerWords {

    /** Of these the message of the status is what its reader has to know. */
    private static final Set<TaskState> STATUS_FIRST =
            EnumSet.of(TaskState.INPUT_REQUIRED, TaskState.AUTH_REQUIRED, TaskState.FAILED, TaskState.REJECTED);

    /** The members in which 1.0 has what 0.3 has as the result itself. */
    private static final List<String> WRAPPERS = List.of("task", "message", "statusUpdate", "artifactUpdate");

    private AnswerWords() {}

    /** What 0.3 has as the result itself, and 1.0 in a member that names it. */
    public static JsonNode unwrapped(JsonNode result) {
        for (String wrapper : WRAPPERS) {
            if (result.path(wrapper).isObject()) {
                return result.path(wrapper);
            }
        }
        return result;
    }

    /** Everything a result says, each artifact on lines of its own; empty when that is nothing. */
    public static String of(JsonNode result) {
        var words = new ArrayList<String>();
        for (var parts : inOrder(result)) {
            String said = parts.appended() ? joined(parts.parts(), "") : joined(parts.parts(), "\n");
            if (!said.isEmpty()) {
                words.add(said);
            }
        }
        return String.join("\n", words);
    }

    /** The message of the status alone; empty when there is none. */
    public static String ofStatus(JsonNode result) {
        return joined(statusOf(unwrapped(result)), "\n");
    }

    /** Parts that belong together; {@code appended} where they are pieces of one artifact, which follow each other directly. */
    record Spoken(JsonNode parts, boolean appended) {}

    private static List<Spoken> inOrder(JsonNode wrapped) {
        var result = unwrapped(wrapped);
        var spoken = new ArrayList<Spoken>();
        spoken.add(new Spoken(result.path("parts"), false));
        for (var artifact : result.path("artifacts")) {
            spoken.add(new Spoken(artifact.path("parts"), true));
        }
        spoken.add(new Spoken(result.path("artifact").path("parts"), true));
        var status = new Spoken(statusOf(result), false);
        if (isStatusFirst(result)) {
            spoken.addFirst(status);
        } else if (spoken.stream().allMatch(one -> joined(one.parts(), "").isEmpty())) {
            spoken.add(status); // else it is what the task was doing
        }
        return spoken;
    }

    /** Each list of parts that is read, in order. */
    public static List<JsonNode> parts(JsonNode result) {
        return inOrder(result).stream().map(Spoken::parts).toList();
    }

    static boolean isStatusFirst(JsonNode result) {
        return TaskState.ofWire(result.path("status").path("state").asText())
                .filter(STATUS_FIRST::contains)
                .isPresent();
    }

    private static JsonNode statusOf(JsonNode result) {
        return result.path("status").path("message").path("parts");
    }

    /** Texts, however their part says that it is one; older agents wrap a part in {@code root}. */
    private static String joined(JsonNode parts, String between) {
        var words = new StringBuilder();
        for (var part : parts) {
            var text = part.has("text") ? part.path("text") : part.path("root").path("text");
            if (text.isTextual()) {
                words.append(words.isEmpty() ? "" : between).append(text.textValue());
            }
        }
        return words.toString();
    }
}
