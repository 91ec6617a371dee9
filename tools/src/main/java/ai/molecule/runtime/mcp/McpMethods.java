package ai.molecule.runtime.mcp;

import static ai.molecule.runtime.mcp.McpRefusal.INVALID_PARAMS;
import static ai.molecule.runtime.mcp.McpRefusal.METHOD_NOT_FOUND;

import ai.molecule.runtime.tools.CallersInput;
import ai.molecule.runtime.tools.InputNeeded;
import ai.molecule.runtime.tools.PromptBlocks;
import ai.molecule.runtime.tools.ToolSpec;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.sdk.PlatformException;
import ai.molecule.sdk.TraceContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What MCP's methods answer, whatever carries them. A request whose {@code _meta} names a revision is of {@link McpRevisions#STATELESS} and
 * answered by itself; any other is of an older one, whose clients begin with {@code initialize}. Both may come from one client.
 *
 * <p>A tool answers with text; where it failed, {@code isError} says so. A tool that does not exist is an error of the protocol.
 */
public final class McpMethods {

    static final String VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
    static final String CALL = "tools/call";

    /** Of the extension, each about one task. */
    static final Set<String> TASKS = Set.of("tasks/get", "tasks/update", "tasks/cancel");

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
    private final List<ToolSpec> statelessTools;
    private final CallTasks tasks;
    private final RequestState states;
    private final String page;

    /** @param tools in the order in which they are listed; those that cannot be used with the toolbox are not */
    public McpMethods(Toolbox toolbox, List<ToolSpec> tools) {
        this(toolbox, tools, tools, new DelegatedTasks(toolbox.workspaces()), RequestState.ofThisProcess(), "");
    }

    McpMethods(
            Toolbox toolbox,
            List<ToolSpec> tools,
            List<ToolSpec> statelessTools,
            CallTasks tasks,
            RequestState states,
            String page) {
        this.toolbox = toolbox;
        this.tools = List.copyOf(tools);
        this.statelessTools = List.copyOf(statelessTools);
        this.tasks = tasks;
        this.states = states;
        this.page = page;
    }

    /**
     * The same at a platform, where each request may reach another process.
     *
     * @param more tools whose caller comes again, so for clients of the revision without a handshake alone
     * @param secret of the caller and whoever answers it alone
     * @param page where a person decides
     */
    public static McpMethods atThePlatform(
            Toolbox toolbox, List<ToolSpec> tools, List<ToolSpec> more, String secret, String page) {
        return new McpMethods(
                toolbox,
                tools,
                Stream.concat(tools.stream(), more.stream()).toList(),
                new DelegatedTasks(toolbox.workspaces()),
                new RequestState(("mcp " + secret).getBytes(StandardCharsets.UTF_8), InstantSource.system()),
                page);
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

    /**
     * What a request of the revision without a handshake wants to hear of; empty for any other request.
     *
     * @throws McpRefusal for what is wrong in it
     */
    Optional<TaskSubscription> subscription(JsonNode request) {
        JsonNode params = request.path("params");
        boolean is = isRequest(request)
                && request.path("method").asText().equals(TaskSubscription.METHOD)
                && params.path("_meta").path(VERSION_KEY).asText().equals(McpRevisions.STATELESS);
        if (!is) {
            return Optional.empty();
        }
        requireCapabilities(params.path("_meta"));
        return Optional.of(
                TaskSubscription.of(request, tasks, caller(params, JSON.createObjectNode()), knowsTasks(params)));
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
                    case "tools/list" -> kept(list(params, statelessTools), LIST_KEPT);
                    case CALL -> statelessCall(params);
                    case "tasks/get", "tasks/update", "tasks/cancel" -> aboutTask(method, params);
                    default -> throw unknown(method);
                };
        if (!result.has("resultType")) {
            result.put("resultType", "complete");
        }
        result.putObject("_meta").set(SERVER_KEY, serverInfo());
        return result;
    }

    private ObjectNode afterHandshake(JsonNode request) throws InterruptedException {
        JsonNode params = request.path("params");
        String method = request.path("method").asText();
        return switch (method) {
            case "initialize" -> handshake(params);
            case "ping" -> JSON.createObjectNode();
            case "tools/list" -> list(params, tools);
            case CALL -> call(params, tools, toolbox);
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
        introduced(result);
        if (statelessTools.stream().anyMatch(tool -> tasks.isFor(tool) && isListed(tool))) {
            ((ObjectNode) result.path("capabilities")).putObject("extensions").putObject(CallTasks.EXTENSION);
        }
        return result;
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
    private ObjectNode list(JsonNode params, List<ToolSpec> offered) {
        if (params.hasNonNull("cursor")) {
            throw McpRefusal.of(INVALID_PARAMS, "Invalid cursor");
        }
        ObjectNode result = JSON.createObjectNode();
        var listed = result.putArray("tools");
        offered.stream()
                .filter(this::isListed)
                .forEach(tool -> listed.addObject()
                        .put("name", tool.name())
                        .put("description", (tool.brief() + " " + tool.whenToUse()).strip())
                        .set("inputSchema", tool.inputSchema()));
        return result;
    }

    /** One whose caller can be asked in the middle, and may be given a handle. */
    private ObjectNode statelessCall(JsonNode params) throws InterruptedException {
        ToolSpec tool = tool(params, statelessTools);
        CallersInput caller = caller(params, tool);
        try {
            ObjectNode result = call(params, statelessTools, toolbox.asking(caller));
            return knowsTasks(params) && !result.has("isError")
                    ? tasks.begun(tool, result.at("/content/0/text").asText(), caller)
                            .map(McpMethods::handle)
                            .orElse(result)
                    : result;
        } catch (InputNeeded needed) {
            ObjectNode result = JSON.createObjectNode().put("resultType", "input_required");
            if (!needed.requests().isEmpty()) {
                result.set("inputRequests", needed.requests());
            }
            return result.put("requestState", states.seal(tool.name(), needed));
        }
    }

    /** What is asked, and what it came to, is told by {@code tasks/get} alone. */
    private static ObjectNode handle(ObjectNode task) {
        ObjectNode seed = task.deepCopy();
        seed.remove(List.of("result", "error", "inputRequests"));
        return seed.put("resultType", "task");
    }

    private CallersInput caller(JsonNode params, ToolSpec tool) {
        if (params.has("requestState") && !params.path("requestState").isTextual()) {
            throw McpRefusal.of(INVALID_PARAMS, "requestState must be a string");
        }
        if (params.has("inputResponses") && !params.path("inputResponses").isObject()) {
            throw McpRefusal.of(INVALID_PARAMS, "inputResponses must be an object");
        }
        JsonNode state = params.has("requestState")
                ? states.open(tool.name(), params.path("requestState").asText())
                : JSON.createObjectNode();
        return caller(params, state);
    }

    private CallersInput caller(JsonNode params, JsonNode state) {
        return new CallersInput(
                params.path("_meta").path(CAPABILITIES_KEY), state, params.path("inputResponses"), page);
    }

    private static boolean knowsTasks(JsonNode params) {
        return params.path("_meta")
                .path(CAPABILITIES_KEY)
                .path("extensions")
                .path(CallTasks.EXTENSION)
                .isObject();
    }

    private ObjectNode aboutTask(String method, JsonNode params) throws InterruptedException {
        if (!knowsTasks(params)) {
            throw McpRefusal.missing(CallTasks.EXTENSION);
        }
        String id = params.path("taskId").asText();
        CallersInput caller = caller(params, JSON.createObjectNode());
        if (method.equals("tasks/update") && !caller.responses().isObject()) {
            throw McpRefusal.of(INVALID_PARAMS, "inputResponses must be an object");
        }
        try {
            if (method.equals("tasks/get")) {
                return tasks.find(id, caller).orElseThrow(McpMethods::noTask);
            }
            boolean there = method.equals("tasks/update") ? tasks.update(id, caller) : tasks.cancel(id);
            if (!there) {
                throw noTask();
            }
            return JSON.createObjectNode();
        } catch (PlatformException away) {
            throw McpRefusal.of(McpRefusal.INTERNAL_ERROR, "the platform cannot tell now: " + away.error());
        }
    }

    private static McpRefusal noTask() {
        return McpRefusal.of(INVALID_PARAMS, "Task not found");
    }

    private static ToolSpec tool(JsonNode params, List<ToolSpec> offered) {
        String name = params.path("name").asText();
        return offered.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> McpRefusal.of(INVALID_PARAMS, "Unknown tool: " + name));
    }

    private ObjectNode call(JsonNode params, List<ToolSpec> offered, Toolbox using) throws InterruptedException {
        JsonNode arguments = params.path("arguments");
        ToolSpec tool = tool(params, offered);
        if (!arguments.isObject() && params.hasNonNull("arguments")) {
            throw McpRefusal.of(INVALID_PARAMS, "arguments must be an object");
        }
        String text = inTrace(params.path("_meta"), () -> outcome(tool, arguments, using));
        ObjectNode result = JSON.createObjectNode();
        result.putArray("content").addObject().put("type", "text").put("text", text);
        return ToolSpec.isFailure(text) ? result.put("isError", true) : result;
    }

    private String outcome(ToolSpec tool, JsonNode arguments, Toolbox using) throws InterruptedException {
        List<String> missing = toolbox.offers(tool) ? missing(tool, arguments) : List.of();
        if (!missing.isEmpty()) {
            return "Error: " + String.join(" and ", missing) + (missing.size() == 1 ? " is" : " are") + " required";
        }
        try {
            return WaitingCalls.run(tool, using, arguments);
        } catch (InputNeeded asks) {
            throw asks;
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
