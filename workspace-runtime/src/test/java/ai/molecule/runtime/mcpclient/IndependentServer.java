package ai.molecule.runtime.mcpclient;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** A server of the protocol's own Java SDK, over standard input and output. */
final class IndependentServer {

    private IndependentServer() {}

    @SuppressWarnings("CheckReturnValue")
    public static void main(String[] args) throws InterruptedException {
        var transport = new StdioServerTransportProvider(McpJsonDefaults.getMapper());
        var shout = McpSchema.Tool.builder(
                        "shout",
                        Map.of(
                                "type",
                                "object",
                                "properties",
                                Map.of("text", Map.of("type", "string")),
                                "required",
                                List.of("text")))
                .description("Says it louder.")
                .build();
        McpServer.sync(transport)
                .serverInfo("independent", "1")
                .capabilities(McpSchema.ServerCapabilities.builder().tools(true).build())
                .toolCall(
                        shout,
                        (exchange, request) -> McpSchema.CallToolResult.builder()
                                .addTextContent(
                                        String.valueOf(request.arguments().get("text")) + "!")
                                .build())
                .build();
        new CountDownLatch(1).await();
    }
}
