package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.Reply;
import com.fasterxml.jackson.databind.JsonNode;

/** What {@code claude --output-format stream-json} writes: pieces of what the model says, whole turns of it, the tools it uses. */
final class ClaudeOutput extends EventOutput {

    /** Who speaks when the program itself has something to say. */
    private static final String NO_MODEL = "<synthetic>";

    private boolean inPieces;

    ClaudeOutput(Reply reply) {
        super(reply);
    }

    @Override
    void take(String type, JsonNode event) {
        inSession(event.path("session_id").asText(""));
        if (event.hasNonNull("parent_tool_use_id")) {
            helper(event.path("message").path("content"));
            return; // a helper of the program's own speaks to it, not to the sender
        }
        switch (type) {
            case "stream_event" -> piece(event.path("event"));
            case "assistant" -> turn(event.path("message"));
            case "user" -> results(event.path("message").path("content"));
            case "result" -> end(event);
            default -> {
                // how it is set up, and what it waits for
            }
        }
    }

    private void helper(JsonNode content) {
        content.forEach(block -> {
            if (block.path("type").asText("").equals("tool_use")) {
                step();
            }
        });
    }

    private void piece(JsonNode event) {
        if (event.at("/content_block/type").asText("").equals("text")) {
            begin();
        } else if (event.at("/delta/type").asText("").equals("text_delta")) {
            inPieces = true;
            say(event.at("/delta/text").asText(""));
        }
    }

    /** A turn whose pieces have come says nothing new. */
    private void turn(JsonNode message) {
        boolean fromTheModel = !message.path("model").asText("").equals(NO_MODEL);
        for (JsonNode block : message.path("content")) {
            switch (block.path("type").asText("")) {
                case "text" -> {
                    if (fromTheModel && !inPieces) {
                        begin();
                        say(block.path("text").asText(""));
                    }
                    inPieces = false;
                }
                case "tool_use" ->
                    calls(block.path("id").asText(""), block.path("name").asText(""), block.path("input"));
                default -> {
                    // what it thinks is its own
                }
            }
        }
    }

    private void results(JsonNode content) {
        content.forEach(block -> answered(block.path("tool_use_id").asText(""), block.path("content")));
    }

    private void end(JsonNode result) {
        String subtype = result.path("subtype").asText("");
        String text = result.path("result").asText("");
        if (result.path("is_error").asBoolean() || subtype.startsWith("error")) {
            complain(subtype + " " + text);
        } else if (!spoken()) {
            say(text);
        }
    }
}
