package ai.molecule.runtime.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.runtime.agent.GivenModels;
import ai.molecule.runtime.agent.Prompt;
import ai.molecule.runtime.agent.RecordingReply;
import ai.molecule.runtime.processes.ProcessTree;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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

/** A program whose call no budget pays is not told: the call is asked again until it is paid, and the program's time stands still. */
class RestingForMoneyTest {

    private static final String EVENTS = "event: message_start\ndata: {}\n\n";

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile int refusals = 2;
    private volatile String budget = "exceeded";
    private volatile int then = 200;
    private volatile String answer = EVENTS;
    private HttpServer door;
    private ModelPort port;
    private ModelPort.Way way;
    private Map<String, String> given;

    @BeforeEach
    void open() throws IOException {
        door = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        door.createContext("/", this::answer);
        door.start();
        var environment = Map.of(
                "MOLECULE_MODEL_DOOR", "http://127.0.0.1:" + door.getAddress().getPort() + "/models",
                "MOLECULE_MODEL_KEY", "sk-door",
                "OPENAI_API_KEY", "sk-door",
                "ANTHROPIC_API_KEY", "sk-door");
        port = new ModelPort(GivenModels.in(environment).orElseThrow(), Duration.ofMillis(20));
        var message = new ObjectMapper().readTree("{\"messageId\":\"m\"}");
        way = port.wayFor(new Prompt("t-1", "c-1", "hello", message, MissingNode.getInstance()));
        given = way.in(environment);
    }

    @AfterEach
    void close() {
        way.close();
        port.close();
        door.stop(0);
    }

    @Test
    void a_stream_is_kept_alive_and_answered_when_it_is_paid() throws Exception {
        var response = ask("ANTHROPIC_BASE_URL", "/v1/messages", "{\"stream\":true,\"model\":\"m\"}");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("event: ping\ndata: {\"type\":\"ping\"}\n\n".repeat(2) + EVENTS);
        assertThat(asked).containsOnly("{\"stream\":true,\"model\":\"m\"}").hasSize(3);
        assertThat(way.rested()).isPositive();
    }

    @Test
    void an_answer_that_comes_whole_comes_as_it_is() throws Exception {
        answer = "{\"choices\":[]}";

        var response = ask("OPENAI_BASE_URL", "/chat/completions", "{\"model\":\"m\"}");

        assertThat(response.body()).isEqualTo(answer);
        assertThat(asked).hasSize(3);
    }

    @Test
    void what_goes_wrong_behind_the_rest_is_an_event() throws Exception {
        then = 404;
        answer = "{\"error\":{\"message\":\"no such model\",\n\"code\":\"not_found\"}}";

        assertThat(ask("OPENAI_BASE_URL", "/chat/completions", "{\"stream\":true}")
                        .body())
                .endsWith(
                        "\n\ndata: {\"error\":{\"message\":\"no such model\",\"code\":\"not_found\"}}\n\ndata: [DONE]\n\n");
        refusals = 2;
        assertThat(ask("OPENAI_BASE_URL", "/responses", "{\"stream\":true}").body())
                .endsWith(
                        "event: error\ndata: {\"type\":\"error\",\"code\":\"not_found\",\"message\":\"no such model\",\"param\":null}\n\n");
    }

    @Test
    void a_provider_that_wants_money_is_not_waited_for() throws Exception {
        budget = "";

        assertThat(ask("OPENAI_BASE_URL", "/chat/completions", "{}").statusCode())
                .isEqualTo(402);
        assertThat(asked).hasSize(1);
    }

    @Test
    void a_program_may_take_as_much_longer_as_it_stood() throws Exception {
        var process = new ProcessBuilder("/bin/sh", "-c", "sleep 0.5; echo done").start();
        var run = new CommandRun(process, new ProcessTree(process, "NOTHING=1"));

        int exit = run.await(
                "",
                new PlainOutput(new RecordingReply()),
                Duration.ofMillis(50),
                () -> Duration.ofMinutes(1),
                () -> Duration.ofMinutes(1));

        assertThat(exit).isZero();
    }

    private HttpResponse<String> ask(String base, String path, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(given.get(base) + path))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        try (var client = HttpClient.newHttpClient()) {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            asked.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            boolean refused = refusals-- > 0;
            if (refused && !budget.isEmpty()) {
                exchange.getResponseHeaders().set("X-Molecule-Budget", budget);
            }
            byte[] said =
                    (refused ? "{\"error\":{\"code\":\"budget_exceeded\"}}" : answer).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(refused ? 402 : then, said.length);
            exchange.getResponseBody().write(said);
        }
    }
}
