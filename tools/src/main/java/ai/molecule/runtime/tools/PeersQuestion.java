package ai.molecule.runtime.tools;

import ai.molecule.sdk.A2aAnswer;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * What a peer asks whoever gave it a task, handed on to a caller who can be asked.
 *
 * @param taskId the peer's task, which goes on with the answer
 * @param words what it asks
 * @param key this question's, and no other's of the task
 */
record PeersQuestion(String target, String taskId, String words, String key) {

    private static final String ASKS = "input-required";
    private static final String UNANSWERED = "Nobody answers this question. Go on without an answer if you can.";

    /** Empty where the answer is none, or the peer wants something else than words. */
    static Optional<PeersQuestion> in(A2aAnswer answer, String target, String peer) {
        JsonNode task = answer.result();
        return answer.taskState().filter(ASKS::equals).isPresent()
                ? of(task, target, peer + " asks: ")
                : Optional.empty();
    }

    /** @param task of 0.3 */
    static Optional<PeersQuestion> of(JsonNode task, String target, String before) {
        JsonNode status = task.path("status");
        String id = task.path("id").asText(task.path("taskId").asText());
        String words =
                String.join("\n", A2aAnswer.textsOf(status.path("message").path("parts")));
        if (!status.path("state").asText().equals(ASKS) || id.isEmpty()) {
            return Optional.empty();
        }
        String which = id + " " + status.path("timestamp").asText() + " "
                + status.path("message").path("messageId").asText() + " " + words;
        String key = "question-" + UUID.nameUUIDFromBytes(which.getBytes(StandardCharsets.UTF_8));
        return Optional.of(new PeersQuestion(target, id, before + (words.isEmpty() ? "?" : words), key));
    }

    /** The one that was handed on before; empty where none was. */
    static Optional<PeersQuestion> answeredIn(CallersInput input) {
        JsonNode state = input.state();
        return state.has("question")
                ? Optional.of(new PeersQuestion(
                        state.path("target").asText(),
                        state.path("task").asText(),
                        state.path("question").asText(),
                        state.path("key").asText()))
                : Optional.empty();
    }

    InputNeeded needed() {
        return new InputNeeded(
                requests(),
                JsonNodeFactory.instance
                        .objectNode()
                        .put("target", target)
                        .put("task", taskId)
                        .put("question", words)
                        .put("key", key));
    }

    ObjectNode requests() {
        return JsonNodeFactory.instance.objectNode().set(key, CallersInput.words(words));
    }

    /**
     * The peer goes on with what was answered, or is told that nobody answers.
     *
     * @throws InputNeeded again, where nothing was said at all
     */
    JsonNode goOn(WorkspaceClient source, Toolbox toolbox, Duration patience) {
        var input = toolbox.input().orElseThrow();
        return switch (input.actionOf(key)) {
            case NOTHING -> throw needed();
            case ACCEPTED, REFUSED -> goOn(source, input.responses().path(key), patience);
        };
    }

    JsonNode goOn(WorkspaceClient source, JsonNode response, Duration patience) {
        String said = response.path("action").asText().equals("accept")
                ? CallersInput.wordsIn(response).orElse(UNANSWERED)
                : UNANSWERED;
        return source.goOn(target, taskId, said, patience, key);
    }
}
