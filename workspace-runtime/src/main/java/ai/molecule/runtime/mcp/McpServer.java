package ai.molecule.runtime.mcp;

import ai.molecule.runtime.tools.PromptBlocks;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The tools over MCP: JSON-RPC 2.0, a message a line. Requests are answered one after the other, in their order. A line that is
 * no JSON object, a notification and an answer get nothing. A tool always answers with text.
 */
public final class McpServer {

    private static final Logger LOGGER = System.getLogger(McpServer.class.getName());

    /** Whatever version a client asks for, as clients of the platform are used to. */
    private static final String PROTOCOL_VERSION = "2024-11-05";

    private static final int METHOD_NOT_FOUND = -32601;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Toolbox toolbox;
    private final LineReader in;
    private final OutputStream out;

    /** @param out gets nothing but the protocol */
    public McpServer(Toolbox toolbox, InputStream in, OutputStream out) {
        this.toolbox = toolbox;
        this.in = new LineReader(in);
        this.out = out;
    }

    /** Serves until the input ends. */
    public void run() throws IOException, InterruptedException {
        Optional<String> line = in.next();
        while (line.isPresent()) {
            Optional<ObjectNode> answer = answerTo(line.get());
            if (answer.isPresent()) {
                out.write((answer.get() + "\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
            line = in.next();
        }
    }

    private Optional<ObjectNode> answerTo(String line) throws InterruptedException {
        JsonNode request = read(line);
        if (!request.path("method").isTextual() || !request.hasNonNull("id")) {
            return Optional.empty();
        }
        ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
        answer.set("id", request.path("id"));
        String method = request.path("method").asText();
        switch (method) {
            case "initialize" -> answer.set("result", introduction());
            case "ping" -> answer.putObject("result");
            case "tools/list" -> answer.set("result", list());
            case "tools/call" -> answer.set("result", call(request.path("params")));
            default ->
                answer.putObject("error").put("code", METHOD_NOT_FOUND).put("message", "Method not found: " + method);
        }
        return Optional.of(answer);
    }

    private static JsonNode read(String line) {
        try {
            return JSON.readTree(line);
        } catch (JsonProcessingException e) {
            LOGGER.log(Level.WARNING, "a line that is no JSON is ignored");
            return JSON.missingNode();
        }
    }

    private static ObjectNode introduction() {
        ObjectNode result = JSON.createObjectNode().put("protocolVersion", PROTOCOL_VERSION);
        result.putObject("capabilities").putObject("tools").put("listChanged", false);
        result.putObject("serverInfo").put("name", "a2a-delegation").put("version", "1.0.0");
        return result.put("instructions", PromptBlocks.capabilities());
    }

    private static ObjectNode list() {
        ObjectNode result = JSON.createObjectNode();
        var tools = result.putArray("tools");
        for (ToolSpec tool : Tools.ALL) {
            tools.addObject()
                    .put("name", tool.name())
                    .put("description", tool.brief())
                    .set("inputSchema", tool.inputSchema());
        }
        return result;
    }

    private ObjectNode call(JsonNode params) throws InterruptedException {
        ObjectNode result = JSON.createObjectNode();
        result.putArray("content").addObject().put("type", "text").put("text", outcome(params));
        return result;
    }

    private String outcome(JsonNode params) throws InterruptedException {
        String name = params.path("name").asText("");
        Optional<ToolSpec> tool = Tools.find(name);
        if (tool.isEmpty()) {
            return "Unknown tool: " + name;
        }
        try {
            return tool.get().run(toolbox, params.path("arguments"));
        } catch (RuntimeException e) {
            LOGGER.log(Level.ERROR, "tool " + name + " failed", e);
            return "Error: " + name + " failed unexpectedly (" + e.getClass().getSimpleName() + ")";
        }
    }
}
