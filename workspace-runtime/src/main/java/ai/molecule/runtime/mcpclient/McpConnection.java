package ai.molecule.runtime.mcpclient;

import ai.molecule.runtime.mcpclient.McpFailure.Kind;
import ai.molecule.runtime.tools.Excerpt;
import ai.molecule.sdk.TraceContext;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A conversation with a server that has begun: both know which version of the protocol they speak. */
final class McpConnection implements AutoCloseable {

    /** Of one server. */
    static final int TOOLS_MAX = 128;

    private static final Logger LOGGER = LoggerFactory.getLogger(McpConnection.class);

    /** The newest that begins with {@code initialize}. */
    private static final String VERSION = "2025-11-25";

    private static final Set<String> VERSIONS = Set.of(VERSION, "2025-06-18", "2025-03-26", "2024-11-05");
    private static final String CALL = "tools/call";
    private static final Duration GREETING_TIMEOUT = Duration.ofSeconds(30);
    private static final int PAGES_MAX = 20;
    private static final int QUOTED_MAX_CHARS = 300;

    private final String name;
    private final McpTransport transport;
    private final AtomicLong ids = new AtomicLong();
    private String agreed = "";

    private McpConnection(String name, McpTransport transport) {
        this.name = name;
        this.transport = transport;
    }

    /** Greets the server. @throws McpFailure when it is none; then the transport is closed */
    static McpConnection open(String name, McpTransport transport) throws InterruptedException {
        var connection = new McpConnection(name, transport);
        boolean greeted = false;
        try {
            connection.greet();
            greeted = true;
            return connection;
        } finally {
            if (!greeted) {
                transport.close();
            }
        }
    }

    private void greet() throws InterruptedException {
        ObjectNode params = JsonRpc.JSON.createObjectNode().put("protocolVersion", VERSION);
        params.putObject("capabilities");
        params.putObject("clientInfo").put("name", "molecule").put("version", "1.0.0");
        agreed = ask("initialize", params, GREETING_TIMEOUT)
                .path("protocolVersion")
                .asText("");
        if (!VERSIONS.contains(agreed)) {
            throw new McpFailure(
                    Kind.BROKEN,
                    "speaks no version of MCP that is known here: " + Excerpt.of(agreed, QUOTED_MAX_CHARS));
        }
        transport.speaks(agreed);
        transport.tell(JsonRpc.notification("notifications/initialized", JsonRpc.JSON.createObjectNode()));
    }

    /** Those of its tools that can be used; the log says which cannot. */
    List<ListedTool> tools() throws InterruptedException {
        List<ListedTool> tools = new ArrayList<>();
        ObjectNode params = JsonRpc.JSON.createObjectNode();
        for (int page = 0; page < PAGES_MAX; page++) {
            JsonNode list = ask("tools/list", params, GREETING_TIMEOUT);
            if (!list.path("tools").isArray()) {
                throw new McpFailure(Kind.BROKEN, "lists no tools");
            }
            for (JsonNode listed : list.path("tools")) {
                if (tools.size() >= TOOLS_MAX) {
                    LOGGER.atWarn().addKeyValue("server", name).log("MCP server has more than 128 tools");
                    return tools;
                }
                add(listed, tools);
            }
            String cursor = list.path("nextCursor").asText("");
            if (cursor.isEmpty()) {
                return tools;
            }
            params = JsonRpc.JSON.createObjectNode().put("cursor", cursor);
        }
        return tools;
    }

    private void add(JsonNode listed, List<ListedTool> tools) {
        try {
            ListedTool tool = ListedTool.of(listed);
            if (tools.stream().noneMatch(other -> other.name().equals(tool.name()))) {
                tools.add(tool);
            }
        } catch (McpFailure unusable) {
            LOGGER.atWarn()
                    .addKeyValue("server", name)
                    .addKeyValue("why", unusable.why())
                    .log("a tool of an MCP server is left out");
        }
    }

    /** The {@code result} of a call, which says what trace it belongs to. @throws McpFailure when there is none */
    JsonNode call(String tool, JsonNode arguments, Duration timeout) throws InterruptedException {
        ObjectNode params = JsonRpc.JSON.createObjectNode().put("name", tool);
        params.set("arguments", arguments.isObject() ? arguments : JsonRpc.JSON.createObjectNode());
        try (var step = TraceContext.begin(CALL + " " + tool, true)) {
            step.fact("mcp.method.name", CALL);
            step.fact("mcp.protocol.version", agreed);
            step.fact("gen_ai.operation.name", "execute_tool");
            step.fact("gen_ai.tool.name", tool);
            var trace = TraceContext.here();
            trace.parent().ifPresent(parent -> {
                ObjectNode meta = params.putObject("_meta").put("traceparent", parent);
                trace.state().ifPresent(state -> meta.put("tracestate", state));
            });
            try {
                JsonNode result = ask(CALL, params, timeout);
                if (result.path("isError").asBoolean()) {
                    step.failed("tool_error");
                }
                return result;
            } catch (McpFailure failure) {
                step.failed(failure.kind().name().toLowerCase(Locale.ROOT));
                throw failure;
            }
        }
    }

    boolean isOpen() {
        return transport.isOpen();
    }

    @Override
    public void close() {
        transport.close();
    }

    private JsonNode ask(String method, ObjectNode params, Duration timeout) throws InterruptedException {
        long id = ids.incrementAndGet();
        boolean answered = false;
        try {
            JsonNode answer = transport.ask(JsonRpc.request(id, method, params), timeout);
            answered = true;
            if (answer.has("error")) {
                JsonNode error = answer.path("error");
                throw new McpFailure(
                        Kind.REFUSED,
                        "refused: " + Excerpt.of(error.path("message").asText(error.toString()), QUOTED_MAX_CHARS));
            }
            return answer.path("result");
        } finally {
            if (!answered && transport.isOpen() && !method.equals("initialize")) {
                transport.tell(JsonRpc.notification(
                        "notifications/cancelled",
                        JsonRpc.JSON.createObjectNode().put("requestId", id).put("reason", "nobody waits any more")));
            }
        }
    }
}
