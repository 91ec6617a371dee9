package ai.molecule.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a peer answered: a message, or a task with the result inside.
 *
 * <pre>{@code
 * String words = A2aAnswer.fromResponse(client.callPeer(peerId, "hello")).text();
 * }</pre>
 *
 * @param result the {@code result} member of the JSON-RPC response, unchanged
 */
public record A2aAnswer(JsonNode result) {

    private static final Set<String> ASKING = Set.of("input-required", "auth-required");
    private static final Set<String> STATUS_FIRST = Set.of("input-required", "auth-required", "failed", "rejected");

    /**
     * Reads a JSON-RPC response.
     *
     * @throws A2aException with the peer's code and message when it is an error, or when it is neither
     */
    public static A2aAnswer fromResponse(JsonNode response) {
        JsonNode error = response.path("error");
        if (error.isObject()) {
            throw new A2aException(
                    error.path("code").asInt(), error.path("message").asText("no reason given"));
        }
        if (!response.path("result").isObject()) {
            throw new A2aException(0, "the answer has neither a result nor an error");
        }
        return new A2aAnswer(response.path("result"));
    }

    /** Whether the platform keeps the message for a peer that is busy or polls: what it says will come as a message of its own. */
    public static boolean isQueued(JsonNode response) {
        return response.path("queued").asBoolean()
                || response.at("/result/delivery_mode").asText().equals("poll");
    }

    /** The task's state such as {@code completed}, which a message may have in its metadata; empty when neither says one. */
    public Optional<String> taskState() {
        return Optional.ofNullable(result.path("status")
                .path("state")
                .asText(result.path("metadata").path("task_state").textValue()));
    }

    /** The task's id, also of a message that belongs to one; empty when there is none. */
    public Optional<String> taskId() {
        return Optional.ofNullable(
                result.path("taskId").asText(result.path("id").textValue()));
    }

    /** Whether the task waits for an answer or for somebody's authorization, and goes on with it. */
    public boolean asks() {
        return taskState().filter(ASKING::contains).isPresent();
    }

    /** What a task asks, or why it failed: the words of its status, else whatever it says. */
    public String statusText() {
        String status =
                String.join("\n", texts(result.path("status").path("message").path("parts")));
        return status.isEmpty() ? text() : status;
    }

    /**
     * The words of the answer, empty when there are none. Parts of an artifact follow each other directly, because a
     * stream appends its pieces as parts; everything else stands on lines of its own. A task without artifacts speaks
     * through its status message, and one that asks, has failed or was rejected begins with that: its question or reason comes
     * before what it said on the way.
     */
    public String text() {
        if (result.path("parts").isArray()) {
            return String.join("\n", texts(result.path("parts")));
        }
        List<String> said = new ArrayList<>();
        for (JsonNode artifact : result.path("artifacts")) {
            said.add(String.join("", texts(artifact.path("parts"))));
        }
        said.removeIf(String::isEmpty);
        String status =
                String.join("\n", texts(result.path("status").path("message").path("parts")));
        if (!status.isEmpty()
                && (said.isEmpty() || taskState().filter(STATUS_FIRST::contains).isPresent())) {
            said.add(0, status);
        }
        return String.join("\n", said);
    }

    /** The texts among parts of a message. */
    public static List<String> textsOf(JsonNode parts) {
        return texts(parts);
    }

    /** Text parts, with or without {@code kind}: older agents call it {@code type} or wrap the part in {@code root}. */
    static List<String> texts(JsonNode parts) {
        List<String> texts = new ArrayList<>();
        for (JsonNode part : parts) {
            JsonNode text =
                    part.has("text") ? part.path("text") : part.path("root").path("text");
            if (text.isTextual()) {
                texts.add(text.textValue());
            }
        }
        return texts;
    }
}
