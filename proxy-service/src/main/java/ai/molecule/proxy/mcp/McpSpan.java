package ai.molecule.proxy.mcp;

import ai.molecule.common.tracing.RpcFact;
import ai.molecule.common.tracing.Tracing;
import ai.molecule.runtime.mcp.McpOverHttp.Reply;
import ai.molecule.runtime.tools.Approving;
import ai.molecule.runtime.tools.Tools;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;

/** What the span of a request says of the MCP in it (docs/wire/traces.md). */
final class McpSpan {

    private static final String CALL = "tools/call";

    private McpSpan() {}

    /** @param message what was sent; a batch says nothing */
    static void tell(Tracing.Span span, JsonNode message, Reply reply) {
        String method = message.path("method").asText();
        if (method.isEmpty()) {
            return;
        }
        JsonNode params = message.path("params");
        JsonNode answer = reply.body().orElse(MissingNode.getInstance());
        span.says(RpcFact.MCP_METHOD, method);
        span.says(
                RpcFact.MCP_VERSION,
                params.path("_meta")
                        .path("io.modelcontextprotocol/protocolVersion")
                        .asText());
        span.says(
                RpcFact.MCP_VERSION,
                answer.path("result").path("protocolVersion").asText());
        String tool = params.path("name").asText();
        boolean known = Tools.find(tool).isPresent() || tool.equals(Approving.COMING_AGAIN.name());
        if (method.equals(CALL) && known) {
            span.says(RpcFact.OPERATION, "execute_tool");
            span.says(RpcFact.TOOL, tool);
        }
        if (answer.has("error")) {
            span.says(RpcFact.ERROR, answer.path("error").path("code").asText());
        } else if (answer.path("result").path("isError").asBoolean()) {
            span.says(RpcFact.ERROR, "tool_error");
        }
    }
}
