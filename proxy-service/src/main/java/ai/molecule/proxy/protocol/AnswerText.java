package ai.molecule.proxy.protocol;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an agent's answer says in words.
 *
 * @param failed whether it says that the work failed
 * @param text never holds a NUL, which PostgreSQL cannot store
 */
public record AnswerText(boolean failed, String text) {

    private static final Set<TaskState> FAILED = Set.of(TaskState.FAILED, TaskState.CANCELED, TaskState.REJECTED);

    /** The members in which 1.0 has what 0.3 has as the result itself. */
    private static final List<String> WRAPPERS = List.of("task", "message", "statusUpdate", "artifactUpdate");

    /**
     * The first text part of the message, else of the task's artifacts, else of its status; the whole body when there is none. Parts
     * are told by {@code kind} or {@code type}, or in 1.0 by having a {@code text}. A JSON-RPC error and a task that failed are failures; so is a message
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
        return answer.path("error").isObject() && result.isMissingNode() || failed(stateOf(unwrapped(result)));
    }

    /** Whether an answer is a task that was stopped. */
    public static boolean saysStopped(JsonNode answer) {
        return TaskState.ofWire(stateOf(unwrapped(answer.path("result"))))
                .filter(TaskState.CANCELED::equals)
                .isPresent();
    }

    private static JsonNode unwrapped(JsonNode result) {
        for (String wrapper : WRAPPERS) {
            if (result.path(wrapper).isObject()) {
                return result.path(wrapper);
            }
        }
        return result;
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
        var result = unwrapped(answer.path("result"));
        if (answer.path("error").isObject() && result.isMissingNode()) {
            String message = answer.path("error").path("message").asText();
            return said(true, message.isEmpty() ? raw : message);
        }
        String state = stateOf(result);
        String text = result.isTextual() ? result.textValue() : textOf(result);
        if (failed(state)) {
            return said(true, text == null ? "the agent's task is " + state : text);
        }
        return said(false, text == null ? raw : text);
    }

    private static @Nullable String textOf(JsonNode result) {
        String text = firstText(result.path("parts"));
        for (var artifact : result.path("artifacts")) {
            text = text == null ? firstText(artifact.path("parts")) : text;
        }
        text = text == null ? firstText(result.path("artifact").path("parts")) : text;
        return text == null ? firstText(result.path("status").path("message").path("parts")) : text;
    }

    private static @Nullable String firstText(JsonNode parts) {
        for (var part : parts) {
            boolean isText = "text".equals(part.path("kind").asText())
                    || "text".equals(part.path("type").asText())
                    || !part.has("kind") && !part.has("type");
            if (isText && part.path("text").isTextual()) {
                return part.path("text").textValue();
            }
        }
        return null;
    }

    private static AnswerText said(boolean failed, String text) {
        return new AnswerText(failed, text.replace('\0', '\ufffd'));
    }
}
