package ai.molecule.runtime.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Tools;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tools as clients of streamable HTTP see them, the protocol's own Java client among them. */
class ServingToolsOverHttpTest {

    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}";

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private McpHttpServer server;

    @BeforeEach
    void listen() throws IOException {
        var config = ClientConfig.of("me", "http://127.0.0.1:9", TokenFile.in(folder));
        var toolbox = new Toolbox(new Workspaces(List.of(new WorkspaceClient(config))), Optional.empty());
        server = McpHttpServer.listen(toolbox, 0);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void the_protocols_own_client_is_greeted_finds_every_tool_and_calls_one() {
        var transport = HttpClientStreamableHttpTransport.builder("http://127.0.0.1:" + server.port())
                .endpoint(McpHttpServer.PATH)
                .build();
        try (var client = McpClient.sync(transport).build()) {
            var greeting = client.initialize();
            var tools = client.listTools().tools();
            var answer = client.callTool(McpSchema.CallToolRequest.builder("delegate_task")
                    .arguments(Map.of())
                    .build());

            assertThat(greeting.instructions()).contains("list_peers");
            assertThat(tools)
                    .extracting(McpSchema.Tool::name)
                    .containsExactlyElementsOf(Tools.ALL.stream()
                            .filter(tool -> !tool.readsInbox())
                            .map(tool -> tool.name())
                            .toList());
            assertThat(answer.isError()).isTrue();
            assertThat(((McpSchema.TextContent) answer.content().getFirst()).text())
                    .isEqualTo("Error: workspace_id and task are required");
        }
    }

    @Test
    void a_request_is_answered_in_json_and_what_is_none_is_accepted_without_an_answer() throws Exception {
        var answer = post(PING);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(answer.body()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}");
        var accepted = post("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        assertThat(accepted.statusCode()).isEqualTo(202);
        assertThat(accepted.body()).isEmpty();
    }

    @Test
    void what_is_no_message_is_refused_and_ends_nothing() throws Exception {
        for (var body : List.of("", "{oops", "[]", "\"text\"", "[".repeat(5000))) {
            assertThat(post(body).statusCode()).describedAs(body).isEqualTo(400);
        }
        assertThat(post("{\"x\":\"" + "y".repeat(4 << 20) + "\"}").statusCode()).isEqualTo(413);
        assertThat(post(PING).statusCode()).isEqualTo(200);
    }

    @Test
    void other_methods_other_paths_and_pages_from_elsewhere_are_refused() throws Exception {
        assertThat(send(request(McpHttpServer.PATH).GET()).statusCode()).isEqualTo(405);
        assertThat(send(request(McpHttpServer.PATH).DELETE()).statusCode()).isEqualTo(405);
        assertThat(send(request("/").POST(BodyPublishers.ofString(PING))).statusCode())
                .isEqualTo(404);
        for (var origin : List.of("https://evil.example", "null", "http://localhost.evil.example", "not a url")) {
            assertThat(send(request(McpHttpServer.PATH).header("Origin", origin).POST(BodyPublishers.ofString(PING)))
                            .statusCode())
                    .describedAs(origin)
                    .isEqualTo(403);
        }
        assertThat(send(request(McpHttpServer.PATH)
                                .header("Origin", "http://localhost:3000")
                                .POST(BodyPublishers.ofString(PING)))
                        .statusCode())
                .isEqualTo(200);
    }

    private HttpResponse<String> post(String body) throws Exception {
        return send(request(McpHttpServer.PATH)
                .header("Accept", "application/json, text/event-stream")
                .POST(BodyPublishers.ofString(body)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(request.build(), BodyHandlers.ofString());
        }
    }
}
