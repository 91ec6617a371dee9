package ai.molecule.runtime.mcpclient;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.mcp.McpHttpServer;
import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import ai.molecule.testkit.Waits;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server at a URL, in all the ways it may answer. */
class UsingMcpServersOverHttpTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final ListedTool DO = new ListedTool("do", "Does it.", JSON.createObjectNode());

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final CountDownLatch released = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private volatile String session = "s1";

    @SuppressWarnings("NullAway.Init")
    private HttpServer server;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/mcp", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    @AfterEach
    void stop() {
        released.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "json | done",
                "stream | done",
                "hang | Error: the tool server web did not answer within 1 s",
                "half | Error: the tool server web ended its stream without an answer",
                "flood | Error: the tool server web flooded its answer, which was left unread",
                "large | Error: the tool server web sent a message of more than 2 MiB, which was left unread",
                "page | Error: the tool server web answered something that is no JSON-RPC",
                "401 | Error: the tool server web answered HTTP 401: its credentials are wrong",
                "500 | Error: the tool server web answered HTTP 500"
            })
    void each_answer_becomes_text_and_the_next_call_is_answered(String how, String text) throws Exception {
        boolean brief = how.equals("hang");
        try (var link = link(brief ? Duration.ofSeconds(1) : Waits.PATIENCE)) {
            assertThat(call(link, how)).isEqualTo(text);

            if (!brief) {
                assertThat(call(link, "json")).isEqualTo("done");
            }
        }
    }

    @Test
    void the_session_the_version_and_the_secret_go_with_each_request() throws Exception {
        try (var link = link(Waits.PATIENCE)) {
            call(link, "json");

            assertThat(seen)
                    .contains(
                            "initialize null null Bearer sk-1",
                            "tools/list s1 2025-06-18 Bearer sk-1",
                            "tools/call s1 2025-06-18 Bearer sk-1");
        }
    }

    @Test
    void a_session_that_was_forgotten_is_begun_anew() throws Exception {
        try (var link = link(Waits.PATIENCE)) {
            call(link, "json");
            session = "s2";

            assertThat(call(link, "json")).isEqualTo("Error: the tool server web has forgotten the session");
            assertThat(call(link, "json")).isEqualTo("done");
        }
    }

    @Test
    void the_platforms_own_server_is_one() throws Exception {
        var nobody = new WorkspaceClient(ClientConfig.of("w", "http://127.0.0.1:9", TokenFile.in(Path.of("nowhere"))));
        try (var own = McpHttpServer.listen(new Toolbox(new Workspaces(List.of(nobody)), Optional.empty()), 0);
                var link = link(own.port(), Waits.PATIENCE)) {
            link.tryToConnect();

            assertThat(link.trouble()).isEmpty();
            assertThat(link.tools()).extracting(ListedTool::name).contains("list_peers");
            assertThat(link.call(DO, JSON.createObjectNode()))
                    .isEqualTo("Error: the tool server web refused: Unknown tool: do");
        }
    }

    @Test
    void one_that_is_not_there_is_said_so() throws Exception {
        server.stop(0);
        try (var link = link(Waits.PATIENCE)) {
            assertThat(call(link, "json")).isEqualTo("Error: the tool server web cannot be reached (ConnectException)");
        }
    }

    private static String call(ServerLink link, String how) throws InterruptedException {
        return link.call(DO, JSON.createObjectNode().put("how", how));
    }

    private ServerLink link(Duration timeout) {
        return link(server.getAddress().getPort(), timeout);
    }

    private static ServerLink link(int port, Duration timeout) {
        var config = ScriptedMcpServer.at(
                URI.create("http://127.0.0.1:" + port + "/mcp"), Map.of("Authorization", "Bearer sk-1"), timeout);
        return new ServerLink(config, Path.of("."), Clock.systemUTC());
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode request = JSON.readTree(exchange.getRequestBody());
            var headers = exchange.getRequestHeaders();
            String method = request.path("method").asText();
            seen.add(method + " " + headers.getFirst("Mcp-Session-Id") + " " + headers.getFirst("MCP-Protocol-Version")
                    + " " + headers.getFirst("Authorization"));
            if (!method.equals("initialize") && !session.equals(headers.getFirst("Mcp-Session-Id"))) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            switch (method) {
                case "initialize" -> {
                    exchange.getResponseHeaders().add("Mcp-Session-Id", session);
                    json(exchange, request, "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}");
                }
                case "tools/list" -> json(exchange, request, "{\"tools\":[" + ScriptedMcpServer.tools("do") + "]}");
                case "tools/call" ->
                    call(exchange, request, request.at("/params/arguments/how").asText());
                default -> exchange.sendResponseHeaders(202, -1);
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void call(HttpExchange exchange, JsonNode request, String how) throws IOException, InterruptedException {
        String done = "{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}";
        switch (how) {
            case "json" -> json(exchange, request, done);
            case "stream" ->
                stream(exchange)
                        .write(bytes(
                                "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n"
                                        + ": still there\n\ndata: " + answer(request, done) + "\n\n"));
            case "hang" -> released.await();
            case "half" -> stream(exchange).write(bytes("data: {\"jsonrpc\""));
            case "flood" -> {
                OutputStream out = stream(exchange);
                while (true) {
                    out.write(
                            bytes("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n".repeat(100)));
                }
            }
            case "large" -> json(exchange, request, "{\"x\":\"" + "x".repeat(3_000_000) + "\"}");
            case "page" -> {
                exchange.sendResponseHeaders(200, 0);
                exchange.getResponseBody().write(bytes("<html>welcome</html>"));
            }
            default -> exchange.sendResponseHeaders(Integer.parseInt(how), -1);
        }
    }

    private static OutputStream stream(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        return exchange.getResponseBody();
    }

    private static void json(HttpExchange exchange, JsonNode request, String result) throws IOException {
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().write(bytes(answer(request, result)));
    }

    private static String answer(JsonNode request, String result) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + request.path("id") + ",\"result\":" + result + "}";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
