package ai.molecule.runtime.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.tools.Toolbox;
import ai.molecule.runtime.tools.Workspaces;
import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.WorkspaceClient;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that does not wait for one answer before it asks for the next, on a platform that answers when the test lets it. */
@Timeout(60)
class CallingToolsAtOnceTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CALL =
            "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{\"name\":\"get_workspace_info\"}}";

    @TempDir
    private Path folder;

    private final BlockingQueue<HttpExchange> asked = new LinkedBlockingQueue<>();
    private final CountDownLatch release = new CountDownLatch(1);
    private final BlockingQueue<String> said = new LinkedBlockingQueue<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final PipedOutputStream client = new PipedOutputStream();
    private HttpServer platform;
    private CompletableFuture<Void> served;

    @BeforeEach
    void serve() throws Exception {
        platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.setExecutor(threads);
        platform.createContext("/", this::answerWhenReleased);
        platform.start();
        String url = "http://127.0.0.1:" + platform.getAddress().getPort();
        var workspace = new WorkspaceClient(ClientConfig.of("me", url, TokenFile.in(folder)));
        var toolbox = new Toolbox(new Workspaces(List.of(workspace)), Optional.empty());
        var server = new McpServer(toolbox, new PipedInputStream(client), new Lines());
        served = CompletableFuture.runAsync(
                () -> {
                    try {
                        server.run();
                    } catch (IOException | InterruptedException broken) {
                        throw new AssertionError(broken);
                    }
                },
                threads);
    }

    @AfterEach
    void stop() {
        release.countDown();
        platform.stop(0);
        threads.shutdownNow();
    }

    @Test
    void calls_run_at_the_same_time_and_a_ping_is_answered_meanwhile() throws Exception {
        write(CALL.formatted(1), CALL.formatted(2), "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}");
        asked.take();
        asked.take();

        assertThat(next().path("id").asInt()).isEqualTo(3);

        release.countDown();
        assertThat(List.of(next().path("id").asInt(), next().path("id").asInt()))
                .containsExactlyInAnyOrder(1, 2);
    }

    @Test
    void a_cancelled_call_is_interrupted_and_gets_no_answer() throws Exception {
        write(CALL.formatted("\"a\""));
        asked.take();

        write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"a\"}}");
        client.close();

        served.get(); // though the platform never answered
        assertThat(said).isEmpty();
    }

    @Test
    void what_was_called_before_the_input_ended_is_answered() throws Exception {
        write(CALL.formatted(1));
        asked.take();
        client.close();

        release.countDown();

        assertThat(next().path("id").asInt()).isEqualTo(1);
        served.get();
    }

    @Test
    void a_call_too_many_and_one_under_an_id_that_is_taken_are_refused() throws Exception {
        write(CALL.formatted(0), CALL.formatted(0));
        assertThat(next().at("/error/message").asText()).isEqualTo("a call with this id is running");

        for (int id = 1; id <= McpServer.CALLS_MAX; id++) {
            write(CALL.formatted(id));
        }

        JsonNode refused = next();
        assertThat(refused.path("id").asInt()).isEqualTo(McpServer.CALLS_MAX);
        assertThat(refused.at("/error/message").asText()).startsWith("32 calls are running");
    }

    private void answerWhenReleased(HttpExchange exchange) throws IOException {
        asked.add(exchange);
        try (exchange) {
            release.await();
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("{}".getBytes(StandardCharsets.UTF_8));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(String... lines) throws IOException {
        for (String line : lines) {
            client.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
        client.flush();
    }

    private JsonNode next() throws Exception {
        String line = said.poll(60, TimeUnit.SECONDS);
        return JSON.readTree(line == null ? "{}" : line);
    }

    /** The server writes a line at a time. */
    private final class Lines extends OutputStream {

        @Override
        public void write(int single) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(byte[] line) {
            said.add(new String(line, StandardCharsets.UTF_8));
        }
    }
}
