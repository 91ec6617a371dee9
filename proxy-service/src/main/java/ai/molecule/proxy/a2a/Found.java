package ai.molecule.proxy.a2a;

import ai.molecule.common.json.Json;
import java.io.IOException;
import java.util.Set;

/** What an agent knows of a message it was sent before (decision 32). */
public sealed interface Found {

    /** Its task is over; {@code body} is the JSON-RPC answer with it. */
    record Over(byte[] body) implements Found {}

    record Working() implements Found {}

    /** It never saw the message, or has forgotten it. */
    record NotKnown() implements Found {}

    /** It cannot be asked. */
    record Unsupported() implements Found {}

    record NotReached() implements Found {}

    /** A task that is submitted or working goes on by itself. In any other state it has ended, or waits for somebody else. */
    Set<String> UNDER_WAY = Set.of("submitted", "working");

    int TASK_NOT_FOUND = -32001;

    static Found of(byte[] body) {
        try {
            var answer = Json.parse(body);
            if (answer.path("error").path("code").asInt() == TASK_NOT_FOUND) {
                return new NotKnown();
            }
            String state = answer.path("result").path("status").path("state").asText();
            if (state.isEmpty()) {
                return new Unsupported();
            }
            return UNDER_WAY.contains(state) ? new Working() : new Over(body);
        } catch (IOException notJson) {
            return new Unsupported();
        }
    }
}
