package ai.molecule.runtime.langchain4j;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * A model that calls tools, scripted by the user's message: {@code script:} and a line for each turn. A line is {@code [say
 * <words>] [call <tool> <arguments> [&& <tool> <arguments>]...]}; the line {@code again} is the one before it for ever. After
 * the last line the model says {@code Heard: } and what the tools of the turn before answered, joined by {@code " | "}.
 */
final class ScriptedTurn {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String SCRIPT = "script:\n";

    private ScriptedTurn() {}

    /** The events of the turn that is due; empty when the user's last message is no script. */
    static Optional<String> of(JsonNode messages) {
        int script = lastOf(messages, "user");
        String text = script < 0 ? "" : messages.path(script).path("content").asText();
        if (!text.startsWith(SCRIPT)) {
            return Optional.empty();
        }
        String[] lines = text.substring(SCRIPT.length()).split("\n", -1);
        int turn = 0;
        for (int i = script + 1; i < messages.size(); i++) {
            turn += messages.path(i).path("role").asText().equals("assistant") ? 1 : 0;
        }
        boolean again = lines[lines.length - 1].equals("again");
        if (turn >= lines.length - (again ? 1 : 0)) {
            return Optional.of(
                    again ? line(lines[lines.length - 2], turn) : words("Heard: " + heard(messages)) + end("stop"));
        }
        return Optional.of(line(lines[turn], turn));
    }

    private static String line(String line, int turn) {
        int calls = line.indexOf("call ");
        String said = line.startsWith("say ")
                ? line.substring(4, calls < 0 ? line.length() : calls).strip()
                : "";
        var events = new StringBuilder(said.isEmpty() ? "" : words(said));
        if (calls < 0) {
            return events + end("stop");
        }
        String[] each = line.substring(calls + 5).split(" && ", -1);
        for (int i = 0; i < each.length; i++) {
            String[] call = each[i].strip().split(" ", 2);
            events.append(call(turn, i, call[0], call.length > 1 ? call[1] : ""));
        }
        return events + end("tool_calls");
    }

    /** In pieces, as models send them. */
    private static String call(int turn, int index, String name, String arguments) {
        int middle = arguments.length() / 2;
        var first = JSON.createObjectNode()
                .put("index", index)
                .put("id", "c" + turn + "_" + index)
                .put("type", "function");
        first.putObject("function").put("name", name).put("arguments", arguments.substring(0, middle));
        var second = JSON.createObjectNode().put("index", index);
        second.putObject("function").put("arguments", arguments.substring(middle));
        return delta("tool_calls", JSON.createArrayNode().add(first))
                + delta("tool_calls", JSON.createArrayNode().add(second));
    }

    private static String words(String text) {
        return delta("content", JSON.getNodeFactory().textNode(text));
    }

    private static String delta(String key, JsonNode value) {
        var event = JSON.createObjectNode().put("id", "1").put("model", "scripted");
        event.putArray("choices").addObject().put("index", 0).putObject("delta").set(key, value);
        return "data: " + event + "\n\n";
    }

    private static String end(String reason) {
        return "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" + reason
                + "\"}]}\n\ndata: [DONE]\n\n";
    }

    private static String heard(JsonNode messages) {
        var heard = new StringJoiner(" | ");
        for (int i = lastOf(messages, "assistant") + 1; i < messages.size(); i++) {
            heard.add(messages.path(i).path("content").asText());
        }
        return heard.toString();
    }

    private static int lastOf(JsonNode messages, String role) {
        int last = messages.size() - 1;
        while (last >= 0 && !messages.path(last).path("role").asText().equals(role)) {
            last--;
        }
        return last;
    }
}
