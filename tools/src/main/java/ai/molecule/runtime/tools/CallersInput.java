package ai.molecule.runtime.tools;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * A caller who can be asked something in the middle of a call, and what it has answered.
 *
 * @param capabilities as MCP's clients tell them
 * @param state what the tool {@linkplain InputNeeded kept} when it asked; empty the first time
 * @param responses by the keys of what was asked
 * @param page where a person decides, to be shown to one; empty where that is not known
 */
public record CallersInput(JsonNode capabilities, JsonNode state, JsonNode responses, String page) {

    private static final String ASK = "elicitation/create";

    /** What a person did with a question. */
    public enum Action {
        ACCEPTED,
        REFUSED,
        NOTHING
    }

    /** Whether a person is there who can be asked for words. */
    public boolean canFill() {
        JsonNode elicitation = capabilities.path("elicitation");
        return elicitation.isObject() && (elicitation.isEmpty() || elicitation.has("form"));
    }

    /** Whether a person is there who can be led to a page. */
    public boolean canVisit() {
        return capabilities.path("elicitation").has("url") && !page.isEmpty();
    }

    public Action actionOf(String key) {
        return switch (responses.path(key).path("action").asText()) {
            case "accept" -> Action.ACCEPTED;
            case "decline", "cancel" -> Action.REFUSED;
            default -> Action.NOTHING;
        };
    }

    /** What a person wrote into a {@link #words form of one line}. */
    public static Optional<String> wordsIn(JsonNode response) {
        return Optional.ofNullable(response.path("content").path("answer").textValue())
                .map(String::strip)
                .filter(words -> !words.isEmpty());
    }

    /** A question that is answered with words. */
    public static ObjectNode words(String question) {
        ObjectNode request = JsonNodeFactory.instance.objectNode().put("method", ASK);
        ObjectNode schema = request.putObject("params")
                .put("mode", "form")
                .put("message", question)
                .putObject("requestedSchema")
                .put("type", "object");
        schema.putObject("properties").putObject("answer").put("type", "string").put("title", "Answer");
        schema.putArray("required").add("answer");
        return request;
    }

    /** A page where a person does what is to be done. */
    public ObjectNode visit(String why, String id) {
        ObjectNode request = JsonNodeFactory.instance.objectNode().put("method", ASK);
        request.putObject("params")
                .put("mode", "url")
                .put("message", why)
                .put("url", page)
                .put("elicitationId", id);
        return request;
    }
}
