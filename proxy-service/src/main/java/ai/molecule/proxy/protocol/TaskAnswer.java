package ai.molecule.proxy.protocol;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an agent's answer says of its task, in whichever dialect.
 *
 * @param taskId at most 256 characters
 * @param contextId null when it says none
 */
public record TaskAnswer(String taskId, @Nullable String contextId, TaskState state) {

    private static final int KEY_MAX_CHARS = 256;

    /** Each way to write a state in which a task waits holds one of these, however it is put into words. */
    private static final byte[][] ASKING = {
        "-required".getBytes(StandardCharsets.US_ASCII), "_REQUIRED".getBytes(StandardCharsets.US_ASCII)
    };

    /** Empty when it tells of no task, or not where it stands. */
    public static Optional<TaskAnswer> of(byte[] body) {
        try {
            var result = Json.parse(body).path("result");
            var inner = result.path("task").isObject()
                    ? result.path("task")
                    : result.path("statusUpdate").isObject()
                            ? result.path("statusUpdate")
                            : result.path("message").isObject() ? result.path("message") : result;
            String taskId = key(inner.path("taskId").isTextual() ? inner.path("taskId") : inner.path("id"));
            var said = inner.path("status").path("state");
            String state = (said.isTextual() ? said : inner.path("metadata").path("task_state")).asText();
            return taskId == null
                    ? Optional.empty()
                    : TaskState.ofWire(state).map(known -> new TaskAnswer(taskId, key(inner.path("contextId")), known));
        } catch (IOException notJson) {
            return Optional.empty();
        }
    }

    /** Of an answer that says that its task waits for somebody. Cheap for all others. */
    public static Optional<TaskAnswer> asking(byte[] body) {
        return mayAsk(body) ? of(body).filter(TaskAnswer::asks) : Optional.empty();
    }

    /** Whether an answer is words alone: in the older dialect they are the end of a task. */
    public static boolean isMessage(byte[] body) {
        try {
            return Json.parse(body).path("result").path("parts").isArray();
        } catch (IOException notJson) {
            return false;
        }
    }

    public boolean asks() {
        return state == TaskState.INPUT_REQUIRED || state == TaskState.AUTH_REQUIRED;
    }

    private static boolean mayAsk(byte[] body) {
        for (int i = 0; i <= body.length - ASKING[0].length; i++) {
            byte first = body[i];
            if (first == '-' && isAt(body, i, ASKING[0]) || first == '_' && isAt(body, i, ASKING[1])) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAt(byte[] body, int at, byte[] text) {
        for (int i = 0; i < text.length; i++) {
            if (body[at + i] != text[i]) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable String key(JsonNode node) {
        String text = node.asText("").replace('\0', '\ufffd');
        return text.isEmpty() || text.length() > KEY_MAX_CHARS ? null : text;
    }
}
