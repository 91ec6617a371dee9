package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.Excerpt;
import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.ToolUse;
import ai.molecule.runtime.mcp.LineReader;
import ai.molecule.runtime.tools.SecretFilter;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * What {@code claude --output-format stream-json} writes, an event a line: pieces of what the model says, whole turns of it, the
 * tools it uses, and at the end whether all went well. A line that is no event is a part of the answer as it stands.
 */
final class ClaudeOutput implements Output {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Calls whose result has not come. */
    private static final int CALLS_MAX = 200;

    private static final int SHOWN_MAX_CHARS = 2_000;

    /** Who speaks when the program itself has something to say. */
    private static final String NO_MODEL = "<synthetic>";

    private final Reply reply;
    private final Trimmed words;
    private final Map<String, JsonNode> calls = new HashMap<>();
    private String session = "";
    private String complaint = "";
    private boolean spoken;
    private boolean inPieces;

    ClaudeOutput(Reply reply) {
        this.reply = reply;
        this.words = new Trimmed(reply);
    }

    @Override
    public void read(InputStream written) throws IOException {
        var lines = new LineReader(written);
        for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
            take(line.get());
        }
    }

    /** By which the program can be told to go on; empty when it has named none. */
    synchronized Optional<String> session() {
        return Optional.of(session).filter(Sessions::isId);
    }

    synchronized boolean spoken() {
        return spoken;
    }

    @Override
    public synchronized String complaint() {
        return complaint;
    }

    private synchronized void take(String line) {
        JsonNode event = event(line);
        String type = event.path("type").asText("");
        if (type.isEmpty()) {
            say(line + "\n");
            return;
        }
        session = event.path("session_id").asText(session);
        if (event.hasNonNull("parent_tool_use_id")) {
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

    private static JsonNode event(String line) {
        try {
            return line.startsWith("{") ? JSON.readTree(line) : JSON.missingNode();
        } catch (JsonProcessingException noEvent) {
            return JSON.missingNode();
        }
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
                case "tool_use" -> {
                    if (calls.size() < CALLS_MAX) {
                        calls.put(block.path("id").asText(""), block);
                    }
                }
                default -> {
                    // what it thinks is its own
                }
            }
        }
    }

    private void results(JsonNode content) {
        for (JsonNode block : content) {
            JsonNode call = calls.remove(block.path("tool_use_id").asText(""));
            if (call != null) {
                reply.used(new ToolUse(
                        call.path("name").asText(""),
                        shown(call.path("input").toString()),
                        shown(text(block.path("content")))));
            }
        }
    }

    private void end(JsonNode result) {
        String subtype = result.path("subtype").asText("");
        String text = result.path("result").asText("");
        if (result.path("is_error").asBoolean() || subtype.startsWith("error")) {
            complaint = (subtype + " " + text).strip();
        } else if (!spoken) {
            say(text);
        }
    }

    private void begin() {
        if (spoken) {
            words.chunk("\n\n");
        }
    }

    private void say(String text) {
        words.chunk(text);
        spoken |= !text.isBlank();
    }

    private static String text(JsonNode content) {
        if (content.isTextual()) {
            return content.textValue();
        }
        var text = new StringJoiner("\n");
        content.forEach(part -> text.add(part.path("text").asText("")));
        return text.toString();
    }

    private static String shown(String text) {
        return SecretFilter.redact(Excerpt.of(text, SHOWN_MAX_CHARS));
    }
}
