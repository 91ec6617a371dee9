package ai.molecule.proxy.a2a.messages;

import ai.molecule.common.json.Json;
import ai.molecule.proxy.protocol.TaskAnswer;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an agent knows of a message it was sent before (decision 32). */
public sealed interface LookupResult {

    /** Its task is over; {@code body} is the JSON-RPC answer with it. */
    record Over(byte[] body) implements LookupResult {}

    /** @param task what the message became */
    record Working(@Nullable TaskAnswer task) implements LookupResult {}

    /** It waits for somebody's words; {@code body} is the JSON-RPC answer that says so. */
    record Asks(TaskAnswer task, byte[] body) implements LookupResult {}

    /** It never saw the message, or has forgotten it. */
    record NotKnown() implements LookupResult {}

    /** It cannot be asked. */
    record Unsupported() implements LookupResult {}

    record NotReached() implements LookupResult {}

    /** A task that is submitted or working goes on by itself. In any other state it has ended, or waits for somebody else. */
    Set<String> UNDER_WAY = Set.of("submitted", "working");

    int TASK_NOT_FOUND = -32001;

    static LookupResult of(byte[] body) {
        try {
            var answer = Json.parse(body);
            if (answer.path("error").path("code").asInt() == TASK_NOT_FOUND) {
                return new NotKnown();
            }
            String state = answer.path("result").path("status").path("state").asText();
            if (state.isEmpty()) {
                return new Unsupported();
            }
            var task = TaskAnswer.of(body).orElse(null);
            if (UNDER_WAY.contains(state)) {
                return new Working(task);
            }
            return task != null && task.asks() ? new Asks(task, body) : new Over(body);
        } catch (IOException notJson) {
            return new Unsupported();
        }
    }
}
