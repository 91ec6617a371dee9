package ai.molecule.runtime.mcp;

import static ai.molecule.runtime.mcp.McpRefusal.INVALID_PARAMS;
import static ai.molecule.runtime.mcp.McpRefusal.METHOD_NOT_FOUND;

import ai.molecule.runtime.tools.PromptBlocks;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.sdk.TraceContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What MCP's methods answer, whatever carries them. A request whose {@code _meta} names a revision is of {@link McpRevisions#STATELESS} and
 * answered by itself; any other is of an older one, whose clients begin with {@code initialize}. Both may come from one client.
 *
 * <p>A tool answers with text; where it failed, {@code isError} says so. A tool that does not exist is an error of the protocol.
 */
public final class McpMethods {

    static final String VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
    static final String CALL = "tools/call";

    /** Messages in one, of the revision that knows this. */
    static final int BATCH_MAX = 32;

    private static final String CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
    private static final String SERVER_KEY = "io.modelcontextprotocol/serverInfo";

    private static final Logger LOGGER = System.getLogger(McpMethods.class.getName());

    /** Tools change with the process that offers them, and with its credential. */
    private static final Duration LIST_KEPT = Duration.ofMinutes(5);

    private static final Duration INTRODUCTION_KEPT = Duration.ofHours(1);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Toolbox toolbox;
    private final List<ToolSpec> tools;

    /** @param tools in the order in which they are listed; those that cannot be used with the toolbox are not */
    public McpMethods(Toolbox toolbox, List<ToolSpec> tools) {
        this.toolbox = toolbox;
        this.tools = List.copyOf(tools);
    }

    /** Empty for a notification, an answer and whatever else is no request. May take as long as a tool does. */
    Optional<ObjectNode> answerTo(JsonNode message) throws InterruptedException {
        if (!isRequest(message)) {
            return Optional.empty();
        }
        try {
            ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
            answer.set("id", message.path("id"));
            answer.set("result", namesItsRevision(message) ? stateless(message) : afterHandshake(message));
            return Optional.of(answer);
        } catch (McpRefusal refusal) {
            return Optional.of(refusal.answerTo(message.path("id")));
        }
    }

    /** To each of a batch in turn; empty where none is a request. */
    ArrayNode answersTo(JsonNode batch) throws InterruptedException {
        ArrayNode answers = JSON.createArrayNode();
        for (JsonNode message : batch) {
            answerTo(message).ifPresent(answers::add);
        }
        return answers;
    }

    static boolean isRequest(JsonNode message) {
        return message.path("method").isTextual() && message.hasNonNull("id");
    }

    /** Whether it is of the revision without a handshake, or of one to come. */
    static boolean namesItsRevision(JsonNode message) {
        return message.path("params").path("_meta").has(VERSION_KEY);
    }

    static void requireCapabilities(JsonNode meta) {
        if (!meta.path(CAPABILITIES_KEY).isObject()) {
            throw McpRefusal.of(INVALID_PARAMS, "_meta must have " + CAPABILITIES_KEY);
        }
    }

    private ObjectNode stateless(JsonNode request) throws InterruptedException {
        JsonNode params = request.path("params");
        JsonNode meta = params.path("_meta");
        String revision = meta.path(VERSION_KEY).asText();
        String method = request.path("method").asText();
        if (method.equals("initialize")) {
            return handshake(params); // always of the older ones
        }
        if (!revision.equals(McpRevisions.STATELESS)) {
            throw McpRefusal.unsupported(revision);
        }
        requireCapabilities(meta);
        ObjectNode result =
                switch (method) {
                    case "server/discover" -> kept(introduction(), INTRODUCTION_KEPT);
                    case "tools/list" -> kept(list(params), LIST_KEPT);
                    case CALL -> call(params);
                    default -> throw unknown(method);
                };
        result.put("resultType", "complete");
        result.putObject("_meta").set(SERVER_KEY, serverInfo());
        return result;
    }

    private ObjectNode afterHandshake(JsonNode request) throws InterruptedException {
        JsonNode params = request.path("params");
        String method = request.path("method").asText();
        return switch (method) {
            case "initialize" -> handshake(params);
            case "ping" -> JSON.createObjectNode();
            case "tools/list" -> list(params);
            case CALL -> call(params);
            case "server/discover" -> throw McpRefusal.of(INVALID_PARAMS, "_meta must have " + VERSION_KEY);
            default -> throw unknown(method);
        };
    }

    private static McpRefusal unknown(String method) {
        return McpRefusal.of(METHOD_NOT_FOUND, "Method not found: " + method);
    }

    private ObjectNode handshake(JsonNode params) {
        ObjectNode result = JSON.createObjectNode()
                .put(
                        "protocolVersion",
                        McpRevisions.agreed(params.path("protocolVersion").asText()));
        return introduced(result);
    }

    private ObjectNode introduction() {
        ObjectNode result = JSON.createObjectNode();
        McpRevisions.ALL.forEach(result.putArray("supportedVersions")::add);
        return introduced(result);
    }

    private ObjectNode introduced(ObjectNode result) {
        result.putObject("capabilities").putObject("tools").put("listChanged", false);
        result.set("serverInfo", serverInfo());
        return result.put("instructions", PromptBlocks.capabilities(this::isListed));
    }

    private static ObjectNode serverInfo() {
        return JSON.createObjectNode().put("name", "a2a-delegation").put("version", "1.0.0");
    }

    private static ObjectNode kept(ObjectNode result, Duration atMost) {
        return result.put("ttlMs", atMost.toMillis()).put("cacheScope", "private");
    }

    private boolean isListed(ToolSpec tool) {
        return toolbox.offers(tool) && (toolbox.inbox().isPresent() || !tool.readsInbox());
    }

    /** Whole: there is no second page, so a cursor cannot be of ours. */
    private ObjectNode list(JsonNode params) {
        if (params.hasNonNull("cursor")) {
            throw McpRefusal.of(INVALID_PARAMS, "Invalid cursor");
        }
        ObjectNode result = JSON.createObjectNode();
        var listed = result.putArray("tools");
        tools.stream()
                .filter(this::isListed)
                .forEach(tool -> listed.addObject()
                        .put("name", tool.name())
                        .put("description", (tool.brief() + " " + tool.whenToUse()).strip())
                        .set("inputSchema", tool.inputSchema()));
        return result;
    }

    private ObjectNode call(JsonNode params) throws InterruptedException {
        String name = params.path("name").asText();
        JsonNode arguments = params.path("arguments");
        ToolSpec tool = tools.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> McpRefusal.of(INVALID_PARAMS, "Unknown tool: " + name));
        if (!arguments.isObject() && params.hasNonNull("arguments")) {
            throw McpRefusal.of(INVALID_PARAMS, "arguments must be an object");
        }
        String text = inTrace(params.path("_meta"), () -> outcome(tool, arguments));
        ObjectNode result = JSON.createObjectNode();
        result.putArray("content").addObject().put("type", "text").put("text", text);
        return ToolSpec.isFailure(text) ? result.put("isError", true) : result;
    }

    private String outcome(ToolSpec tool, JsonNode arguments) throws InterruptedException {
        List<String> missing = toolbox.offers(tool) ? missing(tool, arguments) : List.of();
        if (!missing.isEmpty()) {
            return "Error: " + String.join(" and ", missing) + (missing.size() == 1 ? " is" : " are") + " required";
        }
        try {
            return WaitingCalls.run(tool, toolbox, arguments);
        } catch (RuntimeException e) {
            LOGGER.log(Level.ERROR, "tool " + tool.name() + " failed", e);
            return "Error: " + tool.name() + " failed unexpectedly ("
                    + e.getClass().getSimpleName() + ")";
        }
    }

    private static List<String> missing(ToolSpec tool, JsonNode arguments) {
        List<String> missing = new ArrayList<>();
        for (JsonNode name : tool.inputSchema().path("required")) {
            if (!arguments.hasNonNull(name.asText())) {
                missing.add(name.asText());
            }
        }
        return missing;
    }

    @FunctionalInterface
    private interface Work {
        String done() throws InterruptedException;
    }

    /** What the tool asks of the platform belongs to the client's trace, where it names one. */
    private static String inTrace(JsonNode meta, Work work) throws InterruptedException {
        if (!meta.hasNonNull("traceparent")) {
            return work.done();
        }
        var trace = TraceContext.of(
                Optional.of(meta.path("traceparent").asText()),
                Optional.ofNullable(meta.path("tracestate").textValue()));
        try {
            return trace.during(() -> {
                try {
                    return work.done();
                } catch (InterruptedException cancelled) {
                    throw new Cancelled(cancelled);
                }
            });
        } catch (Cancelled cancelled) {
            throw cancelled.interruption;
        }
    }

    private static final class Cancelled extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final InterruptedException interruption;

        Cancelled(InterruptedException interruption) {
            super(interruption);
            this.interruption = interruption;
        }
    }
}
