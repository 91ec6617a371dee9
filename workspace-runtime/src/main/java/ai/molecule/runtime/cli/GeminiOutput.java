package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.Reply;
import com.fasterxml.jackson.databind.JsonNode;

/** What {@code gemini --output-format stream-json} writes: pieces of what the model says, tools and what they answered. */
final class GeminiOutput extends EventOutput {

    private boolean inPieces;

    GeminiOutput(Reply reply) {
        super(reply);
    }

    @Override
    void take(String type, JsonNode event) {
        String id = event.path("tool_id").asText("");
        switch (type) {
            case "init" -> inSession(event.path("session_id").asText(""));
            case "message" -> {
                if (event.path("role").asText("").equals("assistant")) {
                    piece(event.path("content").asText(""));
                }
            }
            case "tool_use" -> {
                inPieces = false;
                calls(id, event.path("tool_name").asText(""), event.path("parameters"));
            }
            case "tool_result" ->
                answered(id, event.hasNonNull("output") ? event.path("output") : event.at("/error/message"));
            case "result" -> {
                if (event.path("status").asText("").equals("error")) {
                    complain(event.at("/error/type").asText("") + " "
                            + event.at("/error/message").asText(""));
                }
            }
            default -> {
                // warnings
            }
        }
    }

    private void piece(String text) {
        if (!inPieces) {
            begin();
            inPieces = true;
        }
        say(text);
    }
}
