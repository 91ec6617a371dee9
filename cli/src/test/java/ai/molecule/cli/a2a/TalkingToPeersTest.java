package ai.molecule.cli.a2a;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.Screen;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code molecule a2a} against a platform that answers what it was told. */
class TalkingToPeersTest {

    private static final String ME = "11111111-1111-1111-1111-111111111111";
    private static final String PEER = "22222222-2222-2222-2222-222222222222";

    private final Screen screen = new Screen();
    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final List<String> bearers = new CopyOnWriteArrayList<>();
    private HttpServer platform;

    @BeforeEach
    void start() throws IOException {
        platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.createContext("/", exchange -> {
            try (exchange) {
                bearers.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
                exchange.getRequestBody().readAllBytes();
                String answer = answers.get(exchange.getRequestURI().getPath());
                byte[] bytes = (answer == null ? "{\"error\":\"not here\"}" : answer).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(answer == null ? 404 : 202, bytes.length);
                exchange.getResponseBody().write(bytes);
            }
        });
        platform.start();
    }

    @AfterEach
    void stop() {
        platform.stop(0);
    }

    @Test
    void peers_stand_in_columns_or_in_json() {
        answers.put(
                "/registry/" + ME + "/peers",
                "[{\"id\":\"p\",\"name\":\"Bob\",\"status\":\"online\",\"role\":\"cook\"}]");

        assertThat(run("peers")).isZero();
        assertThat(run("peers", "--json")).isZero();

        assertThat(screen.out())
                .isEqualTo("p  " + "Bob" + " ".repeat(27) + "  online      cook\n"
                        + "[{\"id\":\"p\",\"name\":\"Bob\",\"status\":\"online\",\"role\":\"cook\"}]\n");
        assertThat(bearers).containsOnly("Bearer secret");
    }

    @Test
    void a_platform_that_refuses_is_one_line_on_the_error_stream() {
        assertThat(run("peers")).isEqualTo(1);
        assertThat(run("info")).isEqualTo(1);

        assertThat(screen.out()).isEmpty();
        assertThat(screen.err())
                .isEqualTo("Error: could not fetch peers: not here\nError: could not fetch the workspace: not here\n");
    }

    @Test
    void info_is_six_lines() {
        answers.put(
                "/workspaces/" + ME,
                "{\"id\":\"x\",\"name\":\"Ann\",\"role\":null,\"tier\":2,\"status\":\"online\",\"parent_id\":null}");

        assertThat(run("info")).isZero();

        assertThat(screen.out())
                .isEqualTo("ID:     x\nName:   Ann\nRole:   none\nTier:   2\nStatus: online\nParent: none\n");
    }

    @Test
    void the_words_of_a_task_need_no_quotes_and_the_answer_is_printed() {
        answers.put("/workspaces/" + PEER + "/a2a", "{\"result\":{\"parts\":[{\"text\":\"seven\"}]}}");

        assertThat(run("delegate", PEER, "count", "the", "ships")).isZero();
        assertThat(run("delegate", "--json", PEER, "count")).isZero();

        assertThat(screen.out()).isEqualTo("seven\n{\"workspace_id\":\"" + PEER + "\",\"answer\":\"seven\"}\n");
    }

    @Test
    void a_peer_that_cannot_be_asked_is_exit_code_1() {
        assertThat(run("delegate", PEER, "do")).isEqualTo(1);
        assertThat(run("delegate", "Bob", "do")).isEqualTo(1);

        assertThat(screen.err())
                .startsWith("DELEGATION FAILED to " + PEER)
                .contains("Error: workspace_id must be a UUID");
    }

    @Test
    void a_task_given_away_can_be_asked_for() {
        answers.put("/workspaces/" + ME + "/delegate", "{\"delegation_id\":\"d-1\"}");
        answers.put(
                "/workspaces/" + ME + "/delegations",
                "[{\"delegation_id\":\"d-1\",\"status\":\"completed\",\"response_preview\":\"seven\"}]");

        assertThat(run("delegate", "--async", PEER, "do")).isZero();
        assertThat(run("status", PEER, "d-1")).isZero();
        assertThat(run("status", PEER, "d-2")).isEqualTo(1);

        assertThat(screen.out()).contains("\"delegation_id\":\"d-1\"").endsWith("Status: completed\nseven\n");
        assertThat(screen.err()).isEqualTo("Error: no delegation d-2\n");
    }

    @Test
    void what_is_missing_is_exit_code_2() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("delegate", PEER)).isEqualTo(2);
        assertThat(run("peers", "--source", "nobody")).isEqualTo(2);
        assertThat(run(Map.of(), "peers")).isEqualTo(2);

        assertThat(screen.err()).contains("nobody is none of your workspaces", "WORKSPACE_ID is not set");
    }

    private int run(String... arguments) {
        String url = "http://127.0.0.1:" + platform.getAddress().getPort();
        return run(Map.of("WORKSPACE_ID", ME, "PLATFORM_URL", url, "MOLECULE_WORKSPACE_TOKEN", "secret"), arguments);
    }

    private int run(Map<String, String> environment, String... arguments) {
        return A2aCommand.with(screen.console(), environment)
                .setErr(new PrintWriter(new StringWriter()))
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    screen.console().say(((LaunchFailure) failure).sentence());
                    return ((LaunchFailure) failure).exitCode();
                })
                .execute(arguments);
    }
}
