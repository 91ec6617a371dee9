package ai.molecule.proxy.protocol;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * What an agent's answer says in words.
 *
 * @param failed whether it says that the work failed
 * @param text never holds a NUL, which PostgreSQL cannot store
 */
public record AnswerText(boolean failed, String text) {

    private static final Set<TaskState> FAILED = Set.of(TaskState.FAILED, TaskState.CANCELED, TaskState.REJECTED);

    /**
     * All the words of the message, of the task's artifacts or of its status, in the order of {@link AnswerWords}; the whole body when there
     * are none. A JSON-RPC error and a task that failed are failures; so is a message
     * whose {@code metadata.task_state} says so: the older dialect has no task in its answer, and our runtime says it there.
     */
    public static AnswerText of(byte[] body) {
        String raw = new String(body, StandardCharsets.UTF_8);
        try {
            return of(Json.parse(body), raw);
        } catch (IOException notJson) {
            return said(false, raw);
        }
    }

    /** Whether an answer says that the work failed: {@link #failed} of it. */
    public static boolean saysFailed(JsonNode answer) {
        var result = answer.path("result");
        return answer.path("error").isObject() && result.isMissingNode()
                || failed(stateOf(AnswerWords.unwrapped(result)));
    }

    /** Whether an answer is a task that was stopped. */
    public static boolean saysStopped(JsonNode answer) {
        return TaskState.ofWire(stateOf(AnswerWords.unwrapped(answer.path("result"))))
                .filter(TaskState.CANCELED::equals)
                .isPresent();
    }

    private static boolean failed(String state) {
        return TaskState.ofWire(state).filter(FAILED::contains).isPresent();
    }

    private static String stateOf(JsonNode result) {
        return result.path("status")
                .path("state")
                .asText(result.path("metadata").path("task_state").asText());
    }

    private static AnswerText of(JsonNode answer, String raw) {
        var result = AnswerWords.unwrapped(answer.path("result"));
        if (answer.path("error").isObject() && result.isMissingNode()) {
            String message = answer.path("error").path("message").asText();
            return said(true, message.isEmpty() ? raw : message);
        }
        String state = stateOf(result);
        String text = result.isTextual() ? result.textValue() : AnswerWords.of(result);
        if (failed(state)) {
            return said(true, text.isEmpty() ? "the agent's task is " + state : text);
        }
        return said(false, text.isEmpty() ? raw : text);
    }

    private static AnswerText said(boolean failed, String text) {
        return new AnswerText(failed, text.replace('\0', '\ufffd'));
    }
}
