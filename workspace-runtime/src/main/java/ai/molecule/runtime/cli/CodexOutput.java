package ai.molecule.runtime.cli;

import ai.molecule.runtime.agent.Reply;
import com.fasterxml.jackson.databind.JsonNode;

/** What {@code codex exec --json} writes: items that begin and end. */
final class CodexOutput extends EventOutput {

    CodexOutput(Reply reply) {
        super(reply);
    }

    @Override
    void take(String type, JsonNode event) {
        switch (type) {
            case "thread.started" -> inSession(event.path("thread_id").asText(""));
            case "item.completed" -> item(event.path("item"));
            case "turn.failed" -> complain(event.at("/error/message").asText("the turn failed"));
            default -> {
                // what begins, and errors after which it tries again
            }
        }
    }

    private void item(JsonNode item) {
        switch (item.path("type").asText("")) {
            case "agent_message" -> {
                begin();
                say(item.path("text").asText(""));
            }
            case "mcp_tool_call" ->
                stepped(
                        item.path("server").asText("") + "__"
                                + item.path("tool").asText(""),
                        item.path("arguments"),
                        item.hasNonNull("error")
                                ? item.at("/error/message")
                                : item.path("result").path("content"));
            case "command_execution" -> stepped("command", item.path("command"), item.path("aggregated_output"));
            case "file_change" -> stepped("file_change", item.path("changes"), item.path("status"));
            default -> {
                // what it thinks and plans is its own
            }
        }
    }

    private void stepped(String tool, JsonNode input, JsonNode output) {
        used(tool, input, output);
        step();
    }
}
