package ai.molecule.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Screen;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code molecule mcp}: what goes in, what comes out, how it ends. */
class ServingToolsTest {

    private static final String LIST = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";

    private final Screen screen = new Screen();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final List<String> registered = new CopyOnWriteArrayList<>();
    private HttpServer platform;
    private int status = 200;

    @BeforeEach
    void start() throws IOException {
        platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.createContext("/", exchange -> {
            try (exchange) {
                String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
                boolean registers = exchange.getRequestURI().getPath().equals("/registry/register");
                if (registers) {
                    registered.add(exchange.getRequestHeaders().getFirst("Authorization") + " " + body);
                }
                byte[] answer = (registers ? "{\"status\":\"registered\"}" : "[]").getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(status, answer.length);
                exchange.getResponseBody().write(answer);
            }
        });
        platform.start();
    }

    @AfterEach
    void stop() {
        platform.stop(0);
    }

    @Test
    void tools_are_served_until_the_input_ends_and_nothing_is_registered() {
        assertThat(run(environment(), LIST)).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .startsWith("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"delegate_task\"")
                .endsWith("}\n")
                .hasLineCount(1);
        assertThat(registered).isEmpty();
    }

    @Test
    void joining_registers_every_workspace_with_its_own_token() {
        var several = Map.of(
                "PLATFORM_URL",
                environment().get("PLATFORM_URL"),
                "MOLECULE_WORKSPACES",
                "[{\"id\":\"a\",\"token\":\"ta\"},{\"id\":\"b\",\"token\":\"tb\"}]");

        assertThat(run(several, LIST, "--join", "--agent-name", "Ann")).isZero();

        assertThat(registered)
                .satisfiesExactly(
                        a -> assertThat(a).startsWith("Bearer ta {\"id\":\"a\"").contains("no-inbound", "\"Ann\""),
                        b -> assertThat(b).startsWith("Bearer tb {\"id\":\"b\""));
    }

    @Test
    void over_http_the_address_is_printed_and_served_until_the_process_is_ended_though_there_is_no_input()
            throws Exception {
        var http = new McpCommand(screen.console(), environment(), InputStream.nullInputStream(), out);
        var served = Thread.startVirtualThread(() -> new CommandLine(http)
                .setExecutionExceptionHandler((interrupted, command, parsed) -> 0)
                .execute("--http", "0"));
        await().until(() -> out.toString(StandardCharsets.UTF_8).endsWith("/mcp" + System.lineSeparator()));
        var address = URI.create(out.toString(StandardCharsets.UTF_8).strip());

        try (var client = HttpClient.newHttpClient()) {
            var answer = client.send(
                    HttpRequest.newBuilder(address)
                            .POST(HttpRequest.BodyPublishers.ofString(LIST))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(answer.body()).contains("\"name\":\"delegate_task\"");
        }
        served.interrupt();

        assertThat(served.join(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void a_port_that_is_taken_is_the_users_turn() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(run(environment(), LIST, "--http", String.valueOf(taken.getLocalPort())))
                    .isEqualTo(2);
        }
        assertThat(screen.err()).contains("cannot be listened on");
    }

    @Test
    void a_refused_token_is_exit_code_3_and_a_missing_workspace_2() {
        status = 401;

        assertThat(run(environment(), LIST, "--join")).isEqualTo(3);
        assertThat(run(Map.of(), LIST)).isEqualTo(2);

        assertThat(out.size()).isZero();
        assertThat(screen.err()).contains("did not register the workspace", "WORKSPACE_ID is not set");
    }

    private Map<String, String> environment() {
        String url = "http://127.0.0.1:" + platform.getAddress().getPort();
        return Map.of("WORKSPACE_ID", "me", "PLATFORM_URL", url, "MOLECULE_WORKSPACE_TOKEN", "secret");
    }

    private int run(Map<String, String> environment, String input, String... arguments) {
        var in = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
        return new CommandLine(new McpCommand(screen.console(), environment, in, out))
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    screen.console().say(((LaunchFailure) failure).sentence());
                    return ((LaunchFailure) failure).exitCode();
                })
                .execute(arguments);
    }
}
