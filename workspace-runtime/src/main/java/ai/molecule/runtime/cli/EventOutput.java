package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.Reply;
import ai.molecule.runtime.agent.ToolUse;
import ai.molecule.runtime.mcp.LineReader;
import ai.molecule.runtime.tools.Excerpt;
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
import java.util.function.IntConsumer;

/**
 * A program that writes an event a line: what the model says, the tools it uses, and at the end whether all went well. A line that is no
 * event is a part of the answer as it stands.
 */
abstract class EventOutput implements Output {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Calls whose result has not come. */
    private static final int CALLS_MAX = 200;

    private static final int SHOWN_MAX_CHARS = 2_000;

    private record Call(String tool, JsonNode input) {}

    private final Reply reply;
    private final Trimmed words;
    private final Map<String, Call> calls = new HashMap<>();
    private String session = "";
    private String complaint = "";
    private boolean spoken;
    private IntConsumer eachStep = nth -> {};
    private int steps;

    EventOutput(Reply reply) {
        this.reply = reply;
        this.words = new Trimmed(reply);
    }

    @Override
    public void read(InputStream written) throws IOException {
        var lines = new LineReader(written);
        for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
            read(line.get());
        }
    }

    private synchronized void read(String line) {
        JsonNode event = event(line);
        String type = event.path("type").asText("");
        if (type.isEmpty()) {
            say(line + "\n");
        } else {
            take(type, event);
        }
    }

    /** @param check told of each tool that the program uses, or a helper of it, the first is 1; whatever it throws ends the run */
    final synchronized void eachStep(IntConsumer check) {
        eachStep = check;
    }

    /** A tool is used; the lock is held. */
    final void step() {
        eachStep.accept(++steps);
    }

    /** One event; the lock is held. */
    abstract void take(String type, JsonNode event);

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

    /** The session is kept with its task at once: a task that the agent's end interrupts goes on in it. */
    final void inSession(String id) {
        if (!id.isEmpty() && !id.equals(session) && Sessions.isId(id)) {
            session = id;
            boolean _ = reply.steps().keep(JSON.createObjectNode().put("session", id), "");
        }
    }

    final void complain(String about) {
        complaint = about.strip();
    }

    /** The next words are another turn's. */
    final void begin() {
        if (spoken) {
            words.chunk("\n\n");
        }
    }

    final void say(String text) {
        words.chunk(text);
        spoken |= !text.isBlank();
    }

    final void calls(String id, String tool, JsonNode input) {
        step();
        if (calls.size() < CALLS_MAX) {
            calls.put(id, new Call(tool, input));
        }
    }

    final void answered(String id, JsonNode output) {
        Call call = calls.remove(id);
        if (call != null) {
            used(call.tool, call.input, output);
        }
    }

    final void used(String tool, JsonNode input, JsonNode output) {
        reply.used(new ToolUse(tool, shown(input.toString()), shown(text(output))));
    }

    private static JsonNode event(String line) {
        try {
            return line.startsWith("{") ? JSON.readTree(line) : JSON.missingNode();
        } catch (JsonProcessingException noEvent) {
            return JSON.missingNode();
        }
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
