package ai.molecule.runtime.mcp;

import ai.molecule.runtime.tools.PromptBlocks;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What MCP's methods answer, whatever carries them: JSON-RPC 2.0. A tool always answers with text. */
final class McpMethods {

    private static final Logger LOGGER = System.getLogger(McpServer.class.getName());

    private static final int METHOD_NOT_FOUND = -32601;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Toolbox toolbox;
    private final List<ToolSpec> tools;
    private final List<String> versions;

    /**
     * @param more tools, besides the platform's
     * @param versions of the protocol; a client that asks for none of them gets the first
     */
    McpMethods(Toolbox toolbox, List<ToolSpec> more, List<String> versions) {
        this.toolbox = toolbox;
        this.tools = Stream.concat(Tools.ALL.stream(), more.stream()).toList();
        this.versions = versions;
    }

    /** Empty for a notification, an answer and whatever else is no request. May take as long as a tool does. */
    Optional<ObjectNode> answerTo(JsonNode request) throws InterruptedException {
        if (!request.path("method").isTextual() || !request.hasNonNull("id")) {
            return Optional.empty();
        }
        ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", request.path("id"));
        String method = request.path("method").asText();
        switch (method) {
            case "initialize" ->
                answer.set(
                        "result",
                        introduction(request.at("/params/protocolVersion").asText()));
            case "ping" -> answer.putObject("result");
            case "tools/list" -> answer.set("result", list());
            case "tools/call" -> answer.set("result", call(request.path("params")));
            default ->
                answer.putObject("error").put("code", METHOD_NOT_FOUND).put("message", "Method not found: " + method);
        }
        return Optional.of(answer);
    }

    private ObjectNode introduction(String asked) {
        String version = versions.contains(asked) ? asked : versions.getFirst();
        ObjectNode result = JSON.createObjectNode().put("protocolVersion", version);
        result.putObject("capabilities").putObject("tools").put("listChanged", false);
        result.putObject("serverInfo").put("name", "a2a-delegation").put("version", "1.0.0");
        return result.put("instructions", PromptBlocks.capabilities());
    }

    private ObjectNode list() {
        ObjectNode result = JSON.createObjectNode();
        var listed = result.putArray("tools");
        tools.stream()
                .filter(toolbox::offers)
                .forEach(tool -> listed.addObject()
                        .put("name", tool.name())
                        .put("description", tool.brief())
                        .set("inputSchema", tool.inputSchema()));
        return result;
    }

    private ObjectNode call(JsonNode params) throws InterruptedException {
        ObjectNode result = JSON.createObjectNode();
        result.putArray("content").addObject().put("type", "text").put("text", outcome(params));
        return result;
    }

    private String outcome(JsonNode params) throws InterruptedException {
        String name = params.path("name").asText("");
        Optional<ToolSpec> tool =
                tools.stream().filter(each -> each.name().equals(name)).findFirst();
        if (tool.isEmpty()) {
            return "Unknown tool: " + name;
        }
        try {
            return WaitingCalls.run(tool.get(), toolbox, params.path("arguments"));
        } catch (RuntimeException e) {
            LOGGER.log(Level.ERROR, "tool " + name + " failed", e);
            return "Error: " + name + " failed unexpectedly (" + e.getClass().getSimpleName() + ")";
        }
    }
}
