package ai.molecule.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Screen;
import ai.molecule.sdk.InboundMessage;
import ai.molecule.sdk.RemoteAgentClient;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code molecule connect} against a platform that has one message and pauses the workspace once it is answered. */
@Timeout(120)
class ConnectingTest {

    private final Screen screen = new Screen();
    private final StringWriter usage = new StringWriter();
    private final List<String> paths = new CopyOnWriteArrayList<>();
    private final List<String> fetched = new CopyOnWriteArrayList<>();
    private final CompletableFuture<String> reply = new CompletableFuture<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String homeBefore = System.getProperty("user.home");

    @TempDir
    private Path home;

    private HttpServer platform;
    private String url;

    @BeforeEach
    void start() throws IOException {
        System.setProperty("user.home", home.toString());
        platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.setExecutor(threads);
        platform.createContext("/", this::serve);
        platform.start();
        url = "http://127.0.0.1:" + platform.getAddress().getPort();
    }

    @AfterEach
    void stop() {
        System.setProperty("user.home", homeBefore);
        platform.stop(0);
        threads.shutdownNow();
    }

    /** The reply of the handler that is named by its method. */
    public static String shout(InboundMessage message, RemoteAgentClient client) {
        return client.workspaceId() + " " + message.text();
    }

    @Test
    void a_command_answers_and_a_pause_ends_the_process() throws Exception {
        int exit = connect(Map.of(), "--handler", "cmd: tr a-z A-Z; printf ' %s' \"$MOLECULE_SOURCE\"");

        assertThat(exit).isZero();
        assertThat(reply.get()).contains("HELLO canvas_user");
        assertThat(screen.out())
                .isEqualTo("[molecule] connected as ws-1 (platform=" + url + "/, delivery=poll, interval=5s)\n"
                        + "[molecule] platform reports workspace paused — exiting\n");
        assertThat(Files.readString(home.resolve(".molecule/ws-1/.auth_token"))).isEqualTo("fresh");
    }

    @Test
    void a_message_that_was_handled_is_not_handled_by_the_next_start() throws Exception {
        assertThat(connect(Map.of(), "--handler", "cmd: cat")).isZero();
        assertThat(Files.readString(home.resolve(".molecule/ws-1/cursor"))).isEqualTo("m1");
        fetched.clear();

        assertThat(connect(Map.of(), "--handler", "cmd: cat")).isZero();

        assertThat(fetched).isNotEmpty().allMatch(query -> query.contains("since_id=m1"));
    }

    @Test
    void a_method_answers_and_everything_but_the_handler_can_come_from_the_environment() throws Exception {
        var environment = Map.of(
                "MOLECULE_PLATFORM_URL", url,
                "MOLECULE_WORKSPACE_ID", "ws-1",
                "MOLECULE_WORKSPACE_TOKEN", "handed-over",
                "MOLECULE_CURSOR_FILE", "~/cursor",
                "MOLECULE_POLL_INTERVAL", "0.5",
                "MOLECULE_VERBOSE", "1");

        int exit = execute(environment, "--handler", ConnectingTest.class.getName() + "::shout");

        assertThat(exit).isZero();
        assertThat(reply.get()).contains("ws-1 hello");
        assertThat(Files.readString(home.resolve("cursor"))).isEqualTo("m1");
        assertThat(Files.readString(home.resolve(".molecule/ws-1/.auth_token"))).isEqualTo("handed-over");
        assertThat(paths).startsWith("/registry/register");
        assertThat(screen.out()).contains("interval=0.5s");
        assertThat(Logger.getLogger("ai.molecule.sdk").getLevel()).isEqualTo(Level.INFO);
    }

    @ParameterizedTest
    @CsvSource({
        "nonsense, must be of the form",
        "a::b::c, must be of the form",
        "::x, malformed",
        "cmd:, malformed",
        "no.such.Type::x, could not import",
        "ai.molecule.cli.connect.ConnectingTest::nothing, no attribute",
        "ai.molecule.cli.connect.ConnectingTest::toString, not callable"
    })
    void a_handler_that_cannot_be_used_is_exit_code_1(String handler, String sentence) {
        assertThat(connect(Map.of(), "--handler", handler)).isEqualTo(1);
        assertThat(screen.err()).startsWith("error: ").contains(sentence);
        assertThat(paths).isEmpty();
    }

    @Test
    void a_platform_that_is_not_there_or_refuses_is_exit_code_2() {
        platform.stop(0);

        assertThat(connect(Map.of(), "--handler", "cmd: cat")).isEqualTo(2);
        assertThat(screen.err()).startsWith("[molecule] register failed: ");
        assertThat(screen.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--workspace-id w --handler x | --platform-url",
                "--platform-url http://x --handler x | --workspace-id",
                "--platform-url http://x --workspace-id w | --handler",
                "--platform-url x --workspace-id w --handler cmd:cat | http://",
                "--platform-url http://x --workspace-id ../w --handler cmd:cat | not a workspace id",
                "--platform-url http://x --workspace-id w --handler cmd:cat --poll-interval 0 | positive",
                "--platform-url http://x --workspace-id w --handler cmd:cat --poll-interval soon | positive"
            })
    void wrong_options_are_exit_code_2(String line, String sentence) {
        assertThat(execute(Map.of(), line.strip().split(" "))).isEqualTo(2);
        assertThat(usage.toString()).contains(sentence.strip());
    }

    private int connect(Map<String, String> environment, String... more) {
        List<String> arguments = new ArrayList<>(List.of("--platform-url", url + "/", "--workspace-id", "ws-1"));
        arguments.addAll(List.of(more));
        return execute(environment, arguments.toArray(String[]::new));
    }

    private int execute(Map<String, String> environment, String... arguments) {
        return new CommandLine(new ConnectCommand(screen.console(), environment))
                .setErr(new PrintWriter(usage))
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    screen.console().say(String.valueOf(failure.getMessage()));
                    return failure instanceof LaunchFailure known ? known.exitCode() : 99;
                })
                .execute(arguments);
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            paths.add(path);
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            boolean answered = reply.isDone() && !fetched.isEmpty();
            String answer =
                    switch (path) {
                        case "/registry/register" ->
                            exchange.getRequestHeaders().containsKey("Authorization")
                                    ? "{\"status\":\"registered\"}"
                                    : "{\"status\":\"registered\",\"auth_token\":\"fresh\"}";
                        case "/workspaces/ws-1/state" ->
                            "{\"status\":\"%s\",\"paused\":%s}".formatted(answered ? "paused" : "online", answered);
                        case "/workspaces/ws-1/activity" ->
                            "[{\"id\":\"m1\",\"data\":{\"source\":\"canvas_user\",\"text\":\"hello\"}}]";
                        default -> "{}";
                    };
            if (path.endsWith("/activity")) {
                fetched.add(exchange.getRequestURI().getQuery());
            }
            if (path.endsWith("/notify")) {
                reply.complete(body);
            }
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }
}
